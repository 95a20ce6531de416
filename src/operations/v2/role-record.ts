import * as z from "zod/mini";
import { docs, listOf, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import type { Permission, Role } from "../../store/records.ts";
import { MAX_DESCRIPTION } from "../../store/vocabulary.ts";
import type { AdmittedCall } from "../operation.ts";
import { onRoles } from "../requirements.ts";
import { unlessEmpty } from "./key-record.ts";

// What the operations on roles and on permissions share.

export const description = lazily(() =>
  z.optional(
    text({ max: MAX_DESCRIPTION }).register(docs, {
      description: "For a person to read. An empty one is none.",
    }),
  ),
);

/**
 * Demands a right of which there is no alternative, in the words that the service has for alternatives.
 * @throws ApiError if the token lacks it
 */
export function demandOne({ demand }: Pick<AdmittedCall<unknown>, "demand">, action: string): void {
  const requirement = onRoles(action);
  const message = `Missing one of these permissions: ${requirement.oneOf.join()}`;
  demand([requirement], { code: "INSUFFICIENT_PERMISSIONS", message });
}

export const permissionRecord = lazily(() =>
  objectOf({
    description: z.optional(text()),
    id: text(),
    name: text(),
    slug: text().register(docs, { description: "Keys and roles refer to it by this text." }),
  }).register(docs, { id: "Permission", description: "A permission." }),
);

export const roleRecord = lazily(() =>
  objectOf({
    description: z.optional(text()),
    id: text(),
    name: text(),
    permissions: z.optional(listOf(permissionRecord(), "permissions")),
  }).register(docs, { id: "Role", description: "A role with its permissions." }),
);

export function toPermissionRecord({ description, id, name, slug }: Permission) {
  return { description, id, name, slug };
}

/** The permissions of a workspace, by their slugs. */
interface WithPermissions {
  readonly permissions: { named(slug: string): Permission | undefined };
}

/** A role without permissions has no `permissions`. */
export function toRoleRecord(
  workspace: WithPermissions,
  { description, id, name, permissions }: Role,
) {
  return {
    description,
    id,
    name,
    permissions: unlessEmpty(toPermissionRecords(workspace, permissions)),
  };
}

/** The records of the permissions with these slugs. */
export function toPermissionRecords({ permissions }: WithPermissions, slugs: readonly string[]) {
  return slugs.flatMap((slug) => {
    const found = permissions.named(slug);
    return found === undefined ? [] : [toPermissionRecord(found)];
  });
}

import * as z from "zod/mini";
import { identify, type IdSource } from "../id-maker.ts";
import {
  description,
  type Identified,
  MAX_NAMES,
  ownId,
  roleOrPermissionName,
} from "../vocabulary.ts";
import { LargeTable } from "../tables/table.ts";
import { NamedSet, renamed, type Renames } from "./named-set.ts";
import type { OnChange } from "./record-set.ts";
import type { Permissions } from "./permissions.ts";
import * as f from "../../schema/fields.ts";
import { frozenNames } from "../../base/json.ts";
import { lazily } from "../../base/lazily.ts";

export const roleInit = lazily(() =>
  f.objectOf({
    id: z.optional(ownId()),
    name: f.described(roleOrPermissionName(), "Keys refer to the role by this name."),
    description: description(),
    permissions: z.optional(
      f.described(
        f.listOf(roleOrPermissionName(), "permission names", { max: MAX_NAMES }),
        "The slugs of permissions that every key with this role has.",
      ),
    ),
  }),
);
export type RoleInit = z.infer<ReturnType<typeof roleInit>>;

export class Role {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  /** The slugs of its permissions. */
  readonly permissions: readonly string[];

  constructor(init: Identified<RoleInit>) {
    this.id = init.id;
    this.name = init.name;
    this.description = init.description || undefined;
    this.permissions = frozenNames(init.permissions);
  }
}

export type Roles = NamedSet<RoleInit, Role, "name">;

/** A new role also creates the permissions that it names, if they do not exist yet. */
export function createRoles(
  source: IdSource,
  permissions: Permissions,
  onChange: OnChange<Role>,
): Roles {
  const table = new LargeTable<Role>({
    id: { isAfter: (a, b) => (a.id ?? "") > (b.id ?? ""), at: (id) => ({ id }) },
    name: { isAfter: (a, b) => (a.name ?? "") > (b.name ?? ""), at: (name) => ({ name }) },
  });
  return new NamedSet("name", (name) => ({ name }), table, {
    noun: "role",
    schema: roleInit,
    type: Role,
    build: (init: RoleInit) => {
      permissions.ensureAll(init.permissions);
      return new Role(identify("role", init, source));
    },
    onChange,
  });
}

/** Renames permissions in all roles. */
export function renamePermissionsOf(roles: Roles, renames: Renames): void {
  roles.writeAll((role) => {
    const permissions = renamed(role.permissions, renames);
    return permissions && new Role({ ...role, permissions });
  });
}

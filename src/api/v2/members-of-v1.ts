import type * as z from "zod/mini";
import * as f from "../../schema/fields.ts";

/** Members of v1, each with the paths of the members of v2 that may mean the same. */
const inV2: Readonly<Record<string, readonly string[]>> = {
  apiId: ["keyspaces"],
  authorization: ["permissions"],
  externalId: ["identity"],
  identityId: ["identity"],
  namespaceId: ["namespace"],
  namespaceName: ["namespace"],
  op: ["operation"],
  ownerId: ["externalId"],
  permissionId: ["permission"],
  ratelimit: ["ratelimits"],
  refill: ["credits.refill"],
  remaining: ["credits.remaining", "credits.cost"],
  roleId: ["role"],
  ...Object.fromEntries(["async", "environment", "resources"].map((name) => [name, []])),
};

/**
 * `in v2, ownerId is externalId`: for members of v1 that an input of v2 does not take. Undefined if none
 * is sent.
 */
export function aboutMembersOfV1(
  schema: z.core.$ZodType,
  issues: readonly z.core.$ZodIssue[],
): string | undefined {
  const sent = issues.flatMap((issue) => (issue.code === "unrecognized_keys" ? issue.keys : []));
  const changes = [...new Set(sent)].flatMap((name) => {
    const known = Object.hasOwn(inV2, name) ? inV2[name] : undefined;
    if (known === undefined) return [];
    const meant = known.find((path) => hasMember(schema, path.split(".")));
    if (meant !== undefined) return `${name} is ${meant}`;
    return known.length === 0 ? `there is no ${name}` : [];
  });
  return changes.length === 0 ? undefined : `in v2, ${changes.join(", and ")}`;
}

function hasMember(schema: z.core.$ZodType, [name = "", ...rest]: readonly string[]): boolean {
  const { def } = f.unwrap(schema)._zod as z.core.$ZodTypes["_zod"];
  if (def.type === "array") return hasMember(def.element, [name, ...rest]);
  const member = def.type === "object" ? def.shape[name] : undefined;
  return member !== undefined && (rest.length === 0 || hasMember(member, rest));
}

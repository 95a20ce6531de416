/**
 * The kinds of records. Each comes after the kinds that it refers to. In a separate file, so that
 * `latchkey/client` has the names without the schemas.
 */
export const kindNames = [
  "tokens",
  "apis",
  "permissions",
  "roles",
  "identities",
  "ratelimitNamespaces",
  "migrations",
  "keys",
] as const;
export type KindName = (typeof kindNames)[number];

/** An object with a member for each kind. */
export function mapKinds<Value>(
  valueOf: (kind: KindName) => Value,
): Readonly<Record<KindName, Value>> {
  const members = kindNames.map((kind) => [kind, valueOf(kind)]);
  return Object.fromEntries(members) as Record<KindName, Value>;
}

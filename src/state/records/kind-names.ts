/**
 * The kinds of records, each after those that it names. They stand alone, so that `latchkey/client` has
 * the names without the schemas.
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

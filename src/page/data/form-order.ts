import { resolve, type Document, type Schema } from "./schema.ts";

const ofKey = [
  "name",
  "externalId",
  "expires",
  "credits",
  "remaining",
  "refill",
  "roles",
  "permissions",
  "enabled",
];
/** The members that a person decides about first, by operation, in this order. */
const first: Readonly<Record<string, readonly string[]>> = {
  "keys.createKey": ofKey,
  "keys.updateKey": ofKey,
  "keys.verifyKey": ["key"],
};

/** Members that the interface takes and that change nothing. */
const NO_EFFECT = /\bwithout effect\b/;

interface Order {
  readonly first: readonly string[];
  /** The members behind "More"; none if the operation has few. */
  readonly others: readonly string[];
}

/** Which members of a body have fields, in the order of a person. */
export function orderOf(document: Document, operation: string, schema: Schema): Order {
  const names = Object.entries(schema.properties ?? {})
    .filter(([, member]) => !NO_EFFECT.test(resolve(document, member).description ?? ""))
    .map(([name]) => name);
  const chosen = first[operation]?.filter((name) => names.includes(name)) ?? names;
  return { first: chosen, others: names.filter((name) => !chosen.includes(name)) };
}

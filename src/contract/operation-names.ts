import { closest, describeUnknown } from "../schema/unknown-name.ts";
import { quoteMasked } from "../schema/wording/quote-masked.ts";

/**
 * What operations are called elsewhere: in the other version, or by methods of clients. A name counts
 * only where no operation has it.
 */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["keys.updateremaining", "keys.updateCredits"],
  ["keys.updatecredits", "keys.updateRemaining"],
  ["keys.create", "keys.createKey"],
  ["keys.verify", "keys.verifyKey"],
  ["keys.get", "keys.getKey"],
  ["keys.update", "keys.updateKey"],
  ["keys.delete", "keys.deleteKey"],
  ["keys.list", "apis.listKeys"],
  ["keys.listkeys", "apis.listKeys"],
  ["apis.create", "apis.createApi"],
  ["apis.get", "apis.getApi"],
  ["apis.delete", "apis.deleteApi"],
]);

/** The operation that was most likely meant by a name; undefined if none is close. */
export function meantOperation(sent: string, names: readonly string[]): string | undefined {
  const name = sent.toLowerCase();
  const byLowerCase = new Map(names.map((known) => [known.toLowerCase(), known] as const));
  const other = otherNames.get(name);
  const isOther = other !== undefined && !byLowerCase.has(name) && names.includes(other);
  return isOther ? other : byLowerCase.get(closest(name, [...byLowerCase.keys()]) ?? "");
}

/** Tokens and key values contain such a long run; names of operations do not. */
const SECRET_RUN = /[A-Za-z0-9_~+=-]{20,}/g;

/**
 * `unknown operation "keys.create", did you mean "keys.createKey"? (known: keys.createKey, …)`
 * @param names may contain a name several times, as several versions have it
 */
export function unknownOperation(sent: string, names: readonly string[]): string {
  const subject = `operation ${quoteMasked(sent, SECRET_RUN)}`;
  return describeUnknown(subject, meantOperation(sent, names), [...new Set(names)]);
}

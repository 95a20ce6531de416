import type { Problem } from "../schema/problems.ts";
import { closest, describeUnknown, quoted } from "../base/wording/text.ts";
import type { ServedContract } from "./operation.ts";
import type { VersionName } from "./version.ts";

/**
 * Names of operations in the other version and in clients, in lower case, each with the operation that
 * is meant. A name is used only if no operation has it.
 */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["keys.updateremaining", "keys.updateCredits"],
  ["keys.updatecredits", "keys.updateRemaining"],
  ["keys.create", "keys.createKey"],
  ["keys.verify", "keys.verifyKey"],
  ["keys.get", "keys.getKey"],
  ["keys.update", "keys.updateKey"],
  ["keys.delete", "keys.deleteKey"],
  ["keys.reroll", "keys.rerollKey"],
  ["keys.list", "apis.listKeys"],
  ["keys.listkeys", "apis.listKeys"],
  ["apis.list", "apis.listKeys"],
  ["apis.create", "apis.createApi"],
  ["apis.get", "apis.getApi"],
  ["apis.delete", "apis.deleteApi"],
]);

/** The operation that was most likely meant by a name; undefined if no name is similar. */
export function meantOperation(sent: string, names: readonly string[]): string | undefined {
  const name = sent.toLowerCase();
  const byLowerCase = new Map(names.map((known) => [known.toLowerCase(), known] as const));
  const other = otherNames.get(name);
  const isOther = other !== undefined && !byLowerCase.has(name) && names.includes(other);
  return isOther ? other : byLowerCase.get(closest(name, [...byLowerCase.keys()]) ?? "");
}

/** An operation and a version that a fault or a filter of the journal names. */
interface NamedCalls {
  readonly operation?: string | undefined;
  readonly version?: VersionName | undefined;
}

/** The contracts of the named calls, or a problem if no contract has this operation and version. */
export function namedContracts(
  { operation, version }: NamedCalls,
  contracts: readonly ServedContract[],
): { readonly targets: readonly ServedContract[]; readonly problem?: Problem } {
  const named = contracts.filter(({ name }) => operation === undefined || name === operation);
  if (operation !== undefined && named.length === 0) {
    const names = contracts.map(({ name }) => name);
    const expected = unknownOperation(operation, names);
    return { targets: [], problem: { path: ["operation"], expected } };
  }
  const targets = named.filter((contract) => version === undefined || contract.version === version);
  if (version === undefined || targets.length > 0) return { targets };
  const served = [...new Set(named.map(({ version: each }) => each))].join(" or ");
  const expected = `expected ${served}, because nothing else is served${operation === undefined ? "" : ` for ${operation}`}`;
  return { targets, problem: { path: ["version"], expected, value: version } };
}

/**
 * `unknown operation "keys.create", did you mean "keys.createKey"? (known: keys.createKey, …)`
 * @param names may contain a name once for each version
 */
function unknownOperation(sent: string, names: readonly string[]): string {
  const subject = `operation ${quoted(sent)}`;
  return describeUnknown(subject, meantOperation(sent, names), [...new Set(names)]);
}

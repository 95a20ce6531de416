import type { Problem } from "../schema/problems.ts";
import { creditsOf } from "./existing-key.ts";
import { DEFAULT_RATELIMIT, type NamedRatelimit } from "./limits/ratelimits.ts";
import type { KeyInit } from "./key.ts";
import type { Api, ApiInit } from "./records.ts";
import { refillProblems } from "./vocabulary.ts";

/**
 * The reasons why a well-formed key of a fixture or a test cannot belong to an API. Requests to
 * `keys.createKey` are checked for the same, with the error codes and the order of the service.
 */
export function keyProblems(init: KeyInit, api: Api | ApiInit | undefined): Problem[] {
  const problems: Problem[] = [];
  const report = (path: string, expected: string) =>
    problems.push({
      path: [path],
      expected: `expected ${expected}`,
      value: undefined,
      omitValue: true,
    });

  if (api === undefined) {
    const expected = "expected the id of an API of this workspace";
    problems.push({ path: ["apiId"], expected, value: init.apiId });
  }
  if (api?.keyspace === false) {
    report("apiId", `an API with a keyspace, which ${api.id} does not have`);
  }
  if (init.recoverable && api !== undefined && api.storeEncryptedKeys !== true) {
    report("recoverable", `false, because ${api.id} does not have \`storeEncryptedKeys: true\``);
  }
  if (init.recoverable && init.start !== undefined && init.key === undefined) {
    report("recoverable", "`key` beside it, because only a known value can be returned");
  }
  if (init.key !== undefined && init.prefix && !init.key.startsWith(`${init.prefix}_`)) {
    report("prefix", "the characters of `key` before an underscore");
  }
  if (init.key !== undefined && init.start !== undefined && !init.key.startsWith(init.start)) {
    report("start", "the leading characters of `key`");
  }
  return [...problems, ...spellingProblems(init), ...refillProblems(creditsOf(init))];
}

/**
 * The problem of a key whose value another key has: `keys.verifyKey` would find one of them only.
 * @param member the member that gives the value, or its hash
 * @param holder the key that has the value: its id, or its place in a fixture
 */
export function takenValue(member: "hash" | "key" | "plaintext", holder: string): Problem {
  const expected = `expected a value that no other record has (${holder} has it)`;
  return { path: [member], expected, value: undefined, omitValue: true };
}

/** A key may have its uses and its rate limits in the spelling of v1 or of v2, and not in both. */
function spellingProblems(init: KeyInit): Problem[] {
  const { credits, ratelimit, ratelimits = [], refill, remaining } = init;
  const problems: Problem[] = [];
  const refuse = (path: readonly PropertyKey[], expected: string) =>
    problems.push({ path, expected: `expected ${expected}`, value: undefined, omitValue: true });

  if (credits !== undefined && remaining !== undefined) {
    refuse(["remaining"], "no `credits` beside it, which are another spelling");
  }
  if (credits !== undefined && refill !== undefined) {
    refuse(["refill"], "no `credits` beside it, which have a `refill` of their own");
  }
  ratelimits.forEach(({ name }, index) => {
    if (ratelimit === undefined || name !== DEFAULT_RATELIMIT) return;
    const path = ["ratelimits", index, "name"];
    refuse(path, `another name than ${name}, because \`ratelimit\` is the one with that name`);
  });
  return [...problems, ...ratelimitProblems(ratelimits)];
}

/** Reports rate limits of a key or an identity whose name an earlier one has. */
export function ratelimitProblems(
  ratelimits: readonly Pick<NamedRatelimit, "name">[] = [],
): Problem[] {
  return ratelimits.flatMap(({ name }, index) => {
    if (ratelimits.findIndex((other) => other.name === name) === index) return [];
    const expected = "expected a name that no other of these rate limits has";
    return [{ path: ["ratelimits", index, "name"], expected, value: name }];
  });
}

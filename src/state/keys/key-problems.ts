import type { Refill } from "../vocabulary.ts";
import type { Problem } from "../../schema/problems.ts";
import { creditsOf } from "./to-key.ts";
import { EXPECTED_HASH, isValueHash } from "./key-secret.ts";
import { DEFAULT_RATELIMIT, type NamedRatelimit } from "../limits/ratelimits.ts";
import type { KeyInit } from "./key.ts";
import type { Api, ApiInit } from "../records/apis.ts";
import { closest, quoted } from "../../base/wording/text.ts";

/** Names the API that was probably meant. */
export function unknownApi(value: string, apis: Iterable<{ readonly id: string }>): Problem {
  const ids = Array.from(apis, ({ id }) => id);
  const like = closest(value, ids) ?? ids[0];
  const example = like === undefined ? "" : `, like ${quoted(like)}`;
  return {
    path: ["apiId"],
    expected: `expected the id of an API of this workspace${example}`,
    value,
  };
}

/**
 * Problems of a key of a fixture or a test that its schema cannot find. `keys.createKey` checks the same
 * rules itself, with the error codes and the order of the service.
 * @param apis the APIs of the workspace; a refusal names the closest one
 */
export function keyProblems(
  init: KeyInit,
  api: Api | ApiInit | undefined,
  apis: Iterable<{ readonly id: string }> = [],
): Problem[] {
  const { apiId, hash, key, migrationId, prefix, recoverable, start } = init;
  const problems: Problem[] = [];
  if (api === undefined) {
    problems.push(unknownApi(apiId, apis));
  }
  if (api?.keyspace === false) {
    const expected = `expected an API with a keyspace, which ${api.id} does not have`;
    problems.push({ path: ["apiId"], expected });
  }
  if (recoverable && api !== undefined && api.storeEncryptedKeys !== true) {
    const expected = `expected false, because ${api.id} does not have \`storeEncryptedKeys: true\``;
    problems.push({ path: ["recoverable"], expected });
  }
  if (recoverable && start !== undefined && key === undefined) {
    const expected = "needs `key`, because only a known value can be shown";
    problems.push({ path: ["recoverable"], expected });
  }
  if (key !== undefined && prefix && !key.startsWith(`${prefix}_`)) {
    const expected = "expected the characters of `key` before an underscore";
    problems.push({ path: ["prefix"], expected });
  }
  if (key !== undefined && start !== undefined && !key.startsWith(start)) {
    problems.push({ path: ["start"], expected: "expected the leading characters of `key`" });
  }
  if (hash !== undefined && migrationId === undefined && !isValueHash(hash)) {
    problems.push({ path: ["hash"], expected: EXPECTED_HASH, value: hash });
  }
  if (migrationId !== undefined && (hash === undefined || key !== undefined)) {
    const expected =
      "expected `hash` beside it, and no `key`, because it is about keys whose value is not known";
    problems.push({ path: ["migrationId"], expected });
  }
  return [...problems, ...spellingProblems(init), ...refillProblems(creditsOf(init))];
}

/**
 * The problem of a key whose value another key has. `keys.verifyKey` could find only one of them.
 * @param member the member that gives the value, or its hash
 * @param holder the key that has the value: its id, or its place in a fixture
 */
export function takenValue(member: "hash" | "key" | "plaintext", holder: string): Problem {
  return { path: [member], expected: `duplicate of ${holder}` };
}

/** A key may have its uses and its rate limits in the spelling of v1 or of v2, but not in both. */
function spellingProblems(init: KeyInit): Problem[] {
  const { credits, ratelimit, ratelimits = [] } = init;
  const doubled = (["remaining", "refill"] as const)
    .filter((member) => credits !== undefined && init[member] !== undefined)
    .map((member) => ({ path: [member], expected: EXPECTED_ONE_SPELLING }));
  const sameNames = ratelimits.flatMap(({ name }, index) => {
    if (ratelimit === undefined || name !== DEFAULT_RATELIMIT) return [];
    const expected = `expected another name than ${name}, because \`ratelimit\` is the one with that name`;
    return [{ path: ["ratelimits", index, "name"], expected }];
  });
  return [...doubled, ...sameNames, ...ratelimitProblems(ratelimits)];
}

const EXPECTED_ONE_SPELLING =
  "use either `remaining` and `refill` (v1) or `credits` (v2), not both";

/** Reports rate limits of a key or an identity with the name of an earlier one. */
export function ratelimitProblems(
  ratelimits: readonly Pick<NamedRatelimit, "name">[] = [],
): Problem[] {
  return ratelimits.flatMap(({ name }, index) => {
    if (ratelimits.findIndex((other) => other.name === name) === index) return [];
    const expected = "expected a name that no other of these rate limits has";
    return [{ path: ["ratelimits", index, "name"], expected, value: name }];
  });
}

/**
 * Rules for `refill` that its schema does not have. The service checks them after it has found the API,
 * so the operation checks them, and not the schema of the body.
 */
export function refillProblems(key: {
  readonly remaining?: number | undefined;
  readonly refill?: Refill | undefined;
}): Problem[] {
  const { remaining, refill: given } = key;
  if (given === undefined) return [];
  const problems: Problem[] = [];
  if (remaining === undefined) {
    const expected = "expected a number of uses, because there is a `refill`";
    problems.push({ path: ["remaining"], expected, value: undefined });
  }
  if (given.interval === "daily" && given.refillDay !== undefined) {
    const expected = "expected no day, because the interval is daily";
    problems.push({ path: ["refill", "refillDay"], expected, value: given.refillDay });
  }
  return problems;
}

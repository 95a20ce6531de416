import type { Problem } from "../schema/problems.ts";
import { refillProblems } from "../contract/refill-rules.ts";
import type { Api, ApiInit, KeyInit } from "./records.ts";

/**
 * What keeps a well-formed key from being put into an API, for a fixture or a test that gives it.
 * The operation tells the same to a client with the service's codes and in its order.
 */
export function keyProblems(init: KeyInit, api: Api | ApiInit | undefined): Problem[] {
  const problems: Problem[] = [];
  const tell = (path: string, expected: string) =>
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
  if (api?.keyspace === false) tell("apiId", `an API with a keyspace, which ${api.id} has not`);
  if (init.recoverable && api !== undefined && api.storeEncryptedKeys !== true) {
    tell("recoverable", `false, because ${api.id} does not have \`storeEncryptedKeys: true\``);
  }
  if (init.recoverable && init.start !== undefined && init.key === undefined) {
    tell("recoverable", "`key` beside it, because only a known value can be returned");
  }
  if (init.key !== undefined && init.prefix && !init.key.startsWith(`${init.prefix}_`)) {
    tell("prefix", "what `key` starts with, up to an underscore");
  }
  if (init.key !== undefined && init.start !== undefined && !init.key.startsWith(init.start)) {
    tell("start", "the leading characters of `key`");
  }
  return [...problems, ...refillProblems(init)];
}

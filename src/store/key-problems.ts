import type { Problem } from "../contract/problems.ts";
import { refillProblems } from "../contract/refill-rules.ts";
import type { Api, ApiInit, KeyInit } from "./records.ts";

/**
 * What keeps a well-formed key from being put into an API, for a fixture or a test that gives it.
 * The operation tells the same to a client with the service's codes and in its order.
 */
export function keyProblems(init: KeyInit, api: Api | ApiInit | undefined): Problem[] {
  const problems: Problem[] = [];
  const expect = (path: string, expected: string, value: unknown) =>
    problems.push({ path: [path], expected: `expected ${expected}`, value });

  if (api === undefined) expect("apiId", "the id of an API that the fixtures list", init.apiId);
  if (api?.keyspace === false) expect("apiId", "an API with a keyspace", init.apiId);
  if (init.recoverable && api?.storeEncryptedKeys !== true) {
    expect("recoverable", "an API with `storeEncryptedKeys`", true);
  }
  if (init.recoverable && init.start !== undefined && init.key === undefined) {
    expect("recoverable", "`key` beside it, because only a known value can be returned", true);
  }
  if (init.key !== undefined && init.prefix && !init.key.startsWith(`${init.prefix}_`)) {
    expect("prefix", "what `key` starts with, up to an underscore", init.prefix);
  }
  if (init.key !== undefined && init.start !== undefined && !init.key.startsWith(init.start)) {
    expect("start", "the leading characters of `key`", init.start);
  }
  return [...problems, ...refillProblems(init)];
}

/** The prefix that `start` shows whole: the one named, else the API's where the value has it. */
export function prefixOf(init: KeyInit, api: Api): string {
  if (init.prefix !== undefined) return init.prefix;
  const prefix = api.defaultPrefix ?? "";
  return init.key === undefined || init.key.startsWith(`${prefix}_`) ? prefix : "";
}

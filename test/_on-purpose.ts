import { expect, onTestFinished, TestRunner } from "vitest";
import type { Finding, LogEntry } from "../src/index.ts";
import { ruleNames, type RuleName } from "../src/findings/rules.ts";

/** Test files that make mistakes of clients on purpose, and the rules that tell these. */
const onPurpose: Readonly<Record<string, readonly RuleName[]>> = {
  "client-ratelimit": ["refusal-repeated"],
  "client-v2": ["create-repeated"],
  "client-v2-older.slow": ["create-repeated"],
  // It sends random inputs.
  "contract/openapi-v2": ruleNames,
  "control/journal": ["member-ignored", "secret-in-text"],
  "emulator/emulator": ["refusal-repeated"],
  "emulator/fresh-ids": ["refusal-repeated"],
  "emulator/large-bodies": ["member-ignored"],
  "emulator/unseen": ["member-ignored"],
  "emulator/versions": ["secret-in-text"],
  "findings/findings": ruleNames,
  "findings/known-bugs": ruleNames,
  "findings/rules": ruleNames,
  "findings/watched-operations": ["expires-in-seconds"],
  "findings/what-it-tells": ruleNames,
  "http/bad-input": ["member-ignored"],
  "http/control-routes": ["member-ignored"],
  "http/events": ["member-ignored"],
  // It sends random inputs.
  "http/random-input.slow": ruleNames,
  "http/waiting": ["secret-in-text"],
  "operations/apis": ["member-ignored"],
  "operations/create-key": ["member-ignored"],
  "operations/delete-key": ["member-ignored", "refusal-repeated"],
  "operations/errors": ["member-ignored"],
  "operations/get-key": ["member-ignored", "refusal-repeated"],
  "operations/identities-model": ["refusal-repeated"],
  "operations/key-items": ["member-ignored"],
  "operations/keyspaces": ["member-ignored"],
  "operations/limit-checks": ["refusal-repeated"],
  "operations/list-keys": ["member-ignored"],
  "operations/own-operations": ["member-ignored"],
  "operations/paging": ["refusal-repeated"],
  "operations/roles-and-permissions": ["refusal-repeated"],
  "operations/two-mistakes": ["refusal-repeated"],
  "operations/update-key": ["member-ignored", "refusal-repeated"],
  "operations/update-uses": ["refusal-repeated"],
  "operations/usage": ["member-ignored", "secret-in-text"],
  "operations/verify-key": ["member-ignored"],
  "operations/whoami": ["member-ignored"],
  "page/appearance": ["member-ignored"],
  "page/findings": ruleNames,
};

type Log = (entry: LogEntry) => void;

/** A log for the emulator of a test. The test fails at its end if it made other mistakes of clients. */
export function expectingFindings(log: Log | undefined): Log {
  const found: Finding[] = [];
  const test = TestRunner.getCurrentTest();
  const [, file = ""] = /\/test\/(.*)\.test\.ts$/.exec(test?.file.filepath ?? "") ?? [];
  const allowed = new Set(onPurpose[file]);
  // Some emulators are made for all tests of a file.
  if (test !== undefined) {
    onTestFinished(() =>
      expect(found, "mistakes that test/_on-purpose.ts does not name").toEqual([]),
    );
  }
  return (entry) => {
    if (entry.kind === "finding" && !allowed.has(entry.finding.rule)) found.push(entry.finding);
    log?.(entry);
  };
}

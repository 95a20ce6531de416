import { expect, onTestFinished, TestRunner } from "vitest";
import type { Finding, LogEntry } from "../src/index.ts";
import { ruleNames, type RuleName } from "../src/world/findings/rules.ts";

/** Test files that make mistakes of clients on purpose, and the rules that find them. */
const onPurpose: Readonly<Record<string, readonly RuleName[]>> = {
  // It sends random inputs.
  "api/openapi-v2": ruleNames,
  "world/journal": ["secret-in-text"],
  "service/versions": ["secret-in-text"],
  "world/findings/findings": ruleNames,
  "world/findings/rules": ruleNames,
  // It sends random inputs.
  "doors/http/random-input.slow": ruleNames,
  "control/watching": ["secret-in-text"],
  "service/usage": ["secret-in-text"],
  "page/appearance": ["cursor-of-another-list"],
  "page/calls": ["expires-in-seconds"],
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

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { givenFolder } from "./cli/_folder.ts";

interface Proven {
  readonly tests: readonly { readonly file: string; readonly title?: string }[];
}

const proof = JSON.parse(await readFile("docs/proof.json", "utf8"));
const rows: readonly Proven[] = [...proof.operations, ...proof.behaviours, ...proof.clients];

/** A report of vitest in which the tests of all rows ran, changed by `status` for each file. */
function reportOf(status: (file: string) => string): string {
  const testResults = rows.flatMap(({ tests }) =>
    tests.map(({ file, title = "any" }) => ({
      name: resolve(file),
      assertionResults: [{ title: title.replace("…", " and more"), status: status(file) }],
    })),
  );
  return JSON.stringify({ testResults });
}

async function check(reports: Record<string, string>) {
  const folder = await givenFolder(reports);
  const script = promisify(execFile)(process.execPath, ["scripts/proof-check.js", folder]);
  return script.then(
    ({ stdout }) => ({ code: 0, stdout, stderr: "" }),
    (error) => error as { code: number; stdout: string; stderr: string },
  );
}

test("the proof holds if the tests of each row passed in one of the runs", async () => {
  const { code, stdout } = await check({
    "test.json": reportOf((file) => (file.endsWith("slow.test.ts") ? "skipped" : "passed")),
    "slow.json": reportOf(() => "passed"),
  });

  expect(stdout).toBe("proof: every row has a test that passed\n");
  expect(code).toBe(0);
});

test("the proof fails with a line for each row with a test that is gone, that failed or that did not run", async () => {
  const paging = join("test", "operations", "paging.test.ts");
  const client = join("test", "client-hono.test.ts");
  const whoami = join("test", "operations", "whoami.test.ts");
  const report = JSON.parse(
    reportOf((file) => ({ [client]: "failed", [whoami]: "skipped" })[file] ?? "passed"),
  );
  const kept = report.testResults.filter(({ name }: { name: string }) => name !== resolve(paging));

  const { code, stderr } = await check({ "test.json": JSON.stringify({ testResults: kept }) });

  const lines = stderr.trimEnd().split("\n");
  expect(code).toBe(1);
  expect(lines.filter((line) => line.includes(paging)).length).toBeGreaterThan(2);
  expect(lines).toContain(`test/proof.yaml: @unkey/hono: ${client}: any: failed`);
  expect(lines).toContain(
    `test/proof.yaml: keys.whoami: ${whoami}: …: expected a test that passed, found none`,
  );
  expect(lines.every((line) => [paging, client, whoami].some((file) => line.includes(file)))).toBe(
    true,
  );
});

test("every operation, behaviour and client has tests", () => {
  expect(rows.filter(({ tests }) => tests.length === 0)).toEqual([]);
});

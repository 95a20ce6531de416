import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../src/control/client/connect.ts";
import { startProcess } from "../../src/node.ts";

const told = (text: string) => /^ {2}url {4}(\S+)$/m.exec(text)?.[1];

test("`npm start` makes calls as a client would: refusals, a limit nearly used up, and a mistake", async () => {
  const started = spawn(process.execPath, ["scripts/start.js", "--port", "0"]);
  onTestFinished(async () => {
    const ended = once(started, "close");
    started.kill("SIGTERM");
    await ended;
  });
  let output = "";
  for await (const chunk of started.stdout) {
    output += String(chunk);
    if (told(output) !== undefined) break;
  }
  const client = connect(told(output) ?? "", { token: "acme_admin" });

  await client.requests.waitFor({ operation: "apis.listKeys", count: 2 }, "20s");

  const [finding] = await client.findings.list();
  expect(finding?.rule).toBe("cursor-of-another-list");
  const needs = await client.neededPermissions();
  expect(needs.flatMap(({ refused }) => refused)).toMatchObject([{ operation: "keys.createKey" }]);
  expect(JSON.stringify(await client.requests.list())).toContain("RATE_LIMITED");
});

test("a process that a test starts plays no calls", async () => {
  await using running = await startProcess({ fixtures: ["fixtures/demo.yaml"] });

  expect(await running.requests.list()).toEqual([]);
});

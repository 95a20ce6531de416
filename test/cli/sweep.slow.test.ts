import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../_cli.ts";
import { givenFolder } from "./_folder.ts";

const node = process.execPath;
const CALL = `
  const { LATCHKEY_URL: url, LATCHKEY_TOKEN: token } = process.env;
  const call = async (operation, input, signal = AbortSignal.timeout(800)) => {
    const headers = { Authorization: "Bearer " + token, "Content-Type": "application/json" };
    const body = JSON.stringify(input);
    const reply = await fetch(url + "/v2/" + operation, { method: "POST", headers, body, signal });
    if (!reply.ok) throw new Error("status " + reply.status);
    return (await reply.json()).data;
  };
`;
const blind = `${CALL}
  const create = () => call("keys.createKey", { apiId: "api_local", name: "main" });
  create().catch(create).then(() => console.log("made a key"));
`;
const openGate = `${CALL}
  call("ratelimit.limit", { namespace: "mail", identifier: "a", limit: 5, duration: 60000 })
    .catch(() => ({ success: true })).then(({ success }) => process.exit(success ? 0 : 1));
`;

/** Sweeps a program that is written to a file. */
async function sweep(code: string, ...options: string[]) {
  const folder = await givenFolder({ "program.cjs": code });
  return runCli(["sweep", ...options, "--", node, "program.cjs"], { cwd: folder });
}

test("latchkey sweep tells what breaks a command, how to repeat it, and exits with 1", async () => {
  const { code, stderr, stdout } = await sweep(blind, "--token", "secret", "--only=keys.createKey");

  expect(stdout).toBe(
    [
      "1 call, 6 cases: 2 wrong, 3 cope, 1 fails clearly",
      "",
      'keys.createKey (1st call, name "main"): reply lost after the call took effect / reply cut off after the call took effect',
      '  passes, but leaves 2 keys "main" instead of 1: it sent the call 2 times',
      '  change: before the call is sent again, look for what the first one made; if the client repeats calls by itself, end that (@unkey/api: `retryConfig: { strategy: "none" }`)',
      `  again:  latchkey sweep --case createKey.1.lost-after --token … --only=keys.createKey -- ${node} program.cjs`,
      "",
    ].join("\n"),
  );
  expect([code, stderr]).toEqual([1, ""]);
});

test("latchkey sweep --case runs one case, and shows the output of the command", async () => {
  const { code, stderr, stdout } = await sweep(blind, "--case", "createKey.1.lost-after");

  expect(stdout).toMatch(/^1 call, 1 case: 1 wrong\n/);
  expect(stderr).toBe("made a key\n");
  expect(code).toBe(1);
});

test("latchkey sweep exits with 0 once all that is wrong is allowed, and prints JSON", async () => {
  const allow = ["--allow", "ratelimit.limit=no-answer", "--most", "6", "--json", "--for", "5m"];
  const { code, stdout } = await sweep(openGate, ...allow);

  const { cases, notes } = JSON.parse(stdout);
  expect(cases.map(({ verdict }: { verdict: string }) => verdict)).toEqual(
    Array.from({ length: 6 }, () => "no-answer"),
  );
  expect(cases[0]).toEqual({
    case: "limit.1.500",
    call: 'ratelimit.limit (1st call, namespace "mail", identifier "a")',
    operation: "ratelimit.limit",
    how: "500",
    verdict: "no-answer",
    isAllowed: true,
    why: "passes without knowing whether the limit is reached: while the service fails, nothing is limited",
    change:
      "refuse where the call has no answer; if the opposite is meant, allow the verdict no-answer",
  });
  expect(notes).toEqual(["1 more case did not run, because of `most` or `for`."]);
  expect(code).toBe(0);
});

test("latchkey sweep ends a command that hangs, with the processes that it started", async () => {
  const patient = `${CALL}
    const { appendFileSync } = require("node:fs");
    const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    appendFileSync("children", child.pid + " ");
    call("keys.createKey", { apiId: "api_local" }, null).then(() => process.exit());
  `;
  const folder = await givenFolder({ "program.cjs": patient });

  const args = ["sweep", "--fault", "hang", "--", node, "program.cjs"];
  const { stdout } = await runCli(args, { cwd: folder });

  expect(stdout).toContain("keys.createKey (1st call): no answer\n  does not end, although ");
  const pids = (await readFile(join(folder, "children"), "utf8")).trim().split(" ");
  expect(pids).toHaveLength(3);
  // One that has ended stays as a zombie where nothing waits for it.
  const states = spawnSync("ps", ["-o", "stat=", "-p", pids.join(",")], { encoding: "utf8" });
  expect(states.stdout.replaceAll(/Z\S*\s*/g, "")).toBe("");
});

test("latchkey sweep takes the options of exec: fixture, seed, time and --as", async () => {
  const verify = `
    fetch("https://api.unkey.com/v2/keys.verifyKey", {
      method: "POST",
      headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
      body: '{"key":"shop_1"}',
      signal: AbortSignal.timeout(800),
    }).then((reply) => reply.json()).then(({ data }) => process.exit(data?.valid ? 0 : 1));
  `;
  const folder = await givenFolder({
    "program.cjs": verify,
    "shop.yaml":
      "apis: [{ id: api_shop }]\nkeys: [{ apiId: api_shop, key: shop_1, expires: 2026-02-01 }]\n",
  });
  const given = ["--fixture", "shop.yaml", "--now", "2026-01-01", "--random-seed", "7"];
  const options = [...given, "--as", "https://api.unkey.com", "--no-answers", "--fault", "500"];

  const { code, stdout } = await runCli(["sweep", ...options, "--", node, "program.cjs"], {
    cwd: folder,
  });

  expect([stdout, code]).toEqual(["1 call, 1 case: 0 wrong, 1 fails clearly\n", 0]);
});

test("latchkey sweep says why nothing was swept", async () => {
  const failing = await sweep('console.log("no database"); process.exit(3)');
  const idle = await sweep("");
  const unknown = await sweep(blind, "--case", "createKey.1.lost");

  expect(failing.stderr).toBe(
    "no database\n\nlatchkey: sweep: without a fault, the program fails: Error: it ended with exit code 3; nothing was swept\n",
  );
  expect([failing.code, failing.stdout]).toEqual([1, ""]);
  expect([idle.code, idle.stderr]).toEqual([
    2,
    expect.stringMatching(
      /^latchkey: sweep: no call came, so nothing was swept: expected .*LATCHKEY_URL/,
    ),
  ]);
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringContaining("sweep: case: unknown case (known: createKey.1.500, "),
  ]);
});

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { parse } from "yaml";
import { cleanEnv, runCli } from "../_cli.ts";
import { givenFolder } from "./_folder.ts";

const node = process.execPath;
const CALL = `
  const { LATCHKEY_URL: url, LATCHKEY_TOKEN: token } = process.env;
  const call = async (operation, input) => {
    const headers = { Authorization: "Bearer " + token, "Content-Type": "application/json" };
    const body = JSON.stringify(input);
    const reply = await fetch(url + "/v2/" + operation, { method: "POST", headers, body });
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

/** The states of the processes that still run. A zombie does not count: it has ended. */
function stillRunning(pids: readonly string[]): string {
  const states = spawnSync("ps", ["-o", "stat=", "-p", pids.join(",")], { encoding: "utf8" });
  return states.stdout.replaceAll(/Z\S*\s*/g, "");
}

/** Writes a program to a file, and sweeps it. */
async function sweep(code: string, ...options: string[]) {
  const folder = await givenFolder({ "program.cjs": code });
  return runCli(["sweep", ...options, "--", node, "program.cjs"], { cwd: folder });
}

test("latchkey sweep prints what breaks a command and how to repeat it, and exits with 1", async () => {
  const faults = ["--fault", "500", "--fault=lost-after"];
  const { code, stderr, stdout } = await sweep(blind, "--token", "secret", ...faults);

  expect(stdout).toBe(
    [
      "1 call, 2 cases: 1 wrong, 1 fails clearly",
      "",
      "keys.createKey (main): reply lost after the call took effect",
      '  passes, but leaves 2 keys "main" instead of 1: it sent the call 2 times',
      "  change: before the call is sent again, look for the key that the first one made, and reroll or delete it: its value is lost",
      `  again:  node ${resolve("bin/latchkey.js")} sweep --case 'createKey(main).lost-after' --token=… --fault=500 --fault=lost-after -- ${node} program.cjs`,
      "",
    ].join("\n"),
  );
  expect([code, stderr]).toEqual([
    1,
    // A slow machine also prints progress.
    expect.stringMatching(
      /^latchkey: 1 call, 2 cases: about \d+ s, [\d.]+ s for each run\n(?:latchkey: \d of 2\n)*$/,
    ),
  ]);
});

test("without a terminal, latchkey sweep prints a line of progress every ten seconds", async () => {
  const slow = `setTimeout(() => { ${openGate} }, 3_500);`;
  const { stderr } = await sweep(slow, "--fault", "500", "--no-answers");

  // The three runs take more than ten seconds together.
  expect(stderr).toMatch(/^latchkey: 1 call, 1 case: about .*\nlatchkey: 1 of 1\n$/);
});

test("latchkey sweep --case runs one case, and shows the output of the command", async () => {
  const { code, stderr, stdout } = await sweep(blind, "--case", "createKey(main).lost-after");

  expect(stdout).toMatch(/^1 call, 1 case: 1 wrong\n/);
  expect(stderr).toBe("made a key\n");
  expect(code).toBe(1);
});

test("latchkey sweep exits with 0 if every mistake is allowed, and prints JSON", async () => {
  const allow = ["--allow", "ratelimit.limit=no-answer", "--no-answers", "--json", "--jobs", "2"];
  const { code, stdout } = await sweep(openGate, ...allow, "--fault", "500", "--fault", "429");

  const { cases, notes } = JSON.parse(stdout);
  expect(cases).toHaveLength(2);
  expect(cases[0]).toMatchObject({
    case: "limit(mail,a).500",
    call: "ratelimit.limit (mail, a)",
    operation: "ratelimit.limit",
    how: "500",
    verdict: "no-answer",
    isAllowed: true,
    isWrong: false,
    why: "passes although the rate limit had no answer",
    again: expect.stringContaining(" sweep --case 'limit(mail,a).500' "),
  });
  expect(notes).toEqual([]);
  expect(code).toBe(0);
});

test("latchkey sweep runs parallel test files, and writes reports for CI", async () => {
  const file = (who: string, isWrong: boolean) => `
    ${CALL}
    const key = { apiId: "api_local", name: "main", externalId: "${who}" };
    require("node:test").test("${who} has one key", async () => {
      await call("keys.createKey", key).catch(async () => {
        const known = ${isWrong} ? [] : await call("apis.listKeys", { apiId: key.apiId, externalId: key.externalId });
        if (known.length === 0) await call("keys.createKey", key);
      });
    });
  `;
  const cwd = await givenFolder({
    "a.test.cjs": file("user_a", false),
    "b.test.cjs": file("user_b", true),
    "c.test.cjs": file("user_c", false),
  });
  const summary = join(cwd, "summary.md");
  const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary };
  const options = [
    "--fault",
    "lost-after",
    "--report",
    "junit=sweep.xml",
    "--report=json=sweep.json",
  ];
  const args = ["sweep", ...options, "--", node, "--test"];
  const { code, stdout } = await runCli(args, { cwd, env });
  const row = stdout.split("\n").slice(0, 6);
  expect(row).toEqual([
    "3 calls, 3 cases: 1 wrong, 2 cope",
    "",
    "keys.createKey (main, user_b): reply lost after the call took effect",
    '  passes, but leaves 2 keys "main" of user_b instead of 1: it sent the call 2 times',
    "  change: before the call is sent again, look for the key that the first one made, and reroll or delete it: its value is lost",
    expect.stringContaining("--case 'createKey(main,user_b).lost-after' --fault=lost-after -- "),
  ]);
  expect(stdout).toContain("\n::error title=latchkey sweep::keys.createKey (main, user_b): reply");
  expect(code).toBe(1);
  expect(await readFile(summary, "utf8")).toContain(
    `### latchkey sweep\n\n\`\`\`text\n${row[0]}\n`,
  );
  const xml = await readFile(join(cwd, "sweep.xml"), "utf8");
  expect(xml).toContain('<testsuite name="latchkey sweep" tests="3" failures="1" errors="0"');
  expect(xml).toContain(
    '<failure type="passes-but" message="passes, but leaves 2 keys &quot;main&quot;',
  );
  const { cases } = JSON.parse(await readFile(join(cwd, "sweep.json"), "utf8"));
  expect(cases.map(({ isWrong }: { isWrong: boolean }) => isWrong)).toEqual([false, true, false]);
});

test("latchkey sweep --accept allows what --accept-all has written to its file", async () => {
  const cwd = await givenFolder({ "program.cjs": blind });
  const options = ["--fault", "lost-after", "--no-answers", "--accept", "known.json"];
  const run = (...more: string[]) =>
    runCli(["sweep", ...options, ...more, "--", node, "program.cjs"], { cwd });

  const missing = await run();
  expect([missing.code, missing.stderr]).toEqual([
    2,
    "latchkey: known.json: there is no such file\n",
  ]);
  expect((await run("--accept-all")).code).toBe(0);
  expect(JSON.parse(await readFile(join(cwd, "known.json"), "utf8"))).toEqual([
    { case: "createKey(main).lost-after", verdict: "passes-but", reason: "" },
  ]);
  const again = await run();
  expect([again.code, again.stdout.split("\n")[0]]).toEqual([
    0,
    "1 call, 1 case: 0 wrong, 1 allowed",
  ]);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "%s ends latchkey sweep and its processes, and prints the table so far",
  async (signal, expected) => {
    const cwd = await givenFolder({
      "program.cjs": `
      require("node:fs").appendFileSync("pids", process.pid + " ");
      ${CALL}
      call("keys.createKey", { apiId: "api_local", name: "main" }).then(
        () => process.exit(),
        () => setInterval(() => {}, 1_000),
      );
    `,
    });
    const args = ["sweep", "--fault", "500", "--", node, "program.cjs"];
    const child = spawn(node, [resolve("bin/latchkey.js"), ...args], { cwd, env: cleanEnv() });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
    const ended = once(child, "close");
    await vi.waitUntil(
      async () =>
        (await readFile(join(cwd, "pids"), "utf8").catch(() => "")).trim().split(" ").length === 3,
      { timeout: 60_000, interval: 50 },
    );
    child.kill(signal);
    const [code] = await ended;

    expect(stdout).toBe(
      "0 calls, 0 cases: 0 wrong, 1 did not run\n1 case did not run, because of the signal.\n",
    );
    expect(code).toBe(expected);
    const pids = (await readFile(join(cwd, "pids"), "utf8")).trim().split(" ");
    expect(stillRunning(pids)).toBe("");
  },
);

test("latchkey sweep ends a command that hangs, and the processes that it started", async () => {
  const patient = `${CALL}
    const { appendFileSync } = require("node:fs");
    const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    appendFileSync("children", child.pid + " ");
    call("keys.createKey", { apiId: "api_local" }).then(() => process.exit());
  `;
  const folder = await givenFolder({ "program.cjs": patient });

  const args = ["sweep", "--fault", "hang", "--patience", "1s", "--", node, "program.cjs"];
  const { stdout } = await runCli(args, { cwd: folder });

  expect(stdout).toContain(
    "keys.createKey: no answer\n  does not end within three times its usual time plus 1s\n  change: give the call a timeout (fetch: `signal:",
  );
  const pids = (await readFile(join(folder, "children"), "utf8")).trim().split(" ");
  expect(pids).toHaveLength(4);
  expect(stillRunning(pids)).toBe("");
});

test("latchkey sweep has the options of exec: fixture, seed, time and --as", async () => {
  const verify = `
    fetch("https://api.unkey.com/v2/keys.verifyKey", {
      method: "POST",
      headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
      body: '{"key":"shop_1"}',
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

test("the command of the nightly workflow in docs/sweep.md runs, and writes what it uploads", async () => {
  const [, yaml = ""] =
    /```yaml\n(# \.github\/workflows.*?)```/s.exec(await readFile("docs/sweep.md", "utf8")) ?? [];
  const { steps } = parse(yaml).jobs.sweep;
  const { run } = steps.find((step: { run?: string }) => step.run?.includes("latchkey"));
  const { path } = steps.at(-1).with;
  const accepted = ["lost-after", "truncated"].map((how) => {
    return { case: `createKey(main).${how}`, verdict: "orphan", reason: "known" };
  });
  const cwd = await givenFolder({
    "package.json": '{ "scripts": { "test": "node program.cjs" } }',
    // A long timeout, so that only the call without an answer reaches it.
    "program.cjs": `${CALL.replace("headers, body }", "headers, body, signal: AbortSignal.timeout(15_000) }")}
      call("keys.createKey", { apiId: "api_local", name: "main" });`,
    "sweep.accepted.json": JSON.stringify(accepted),
  });
  await mkdir(join(cwd, "node_modules", ".bin"), { recursive: true });
  await symlink(resolve("bin/latchkey.js"), join(cwd, "node_modules", ".bin", "latchkey"));

  const { status, stderr, stdout } = spawnSync("sh", ["-c", run], {
    cwd,
    env: cleanEnv(),
    encoding: "utf8",
  });

  expect([status, stdout, stderr]).toEqual([
    0,
    "1 call, 6 cases: 0 wrong, 4 fail clearly, 2 allowed\n",
    expect.stringContaining("latchkey: 1 call, 6 cases: about "),
  ]);
  expect(path).toBe("sweep.*");
  expect(await readdir(cwd)).toEqual(expect.arrayContaining(["sweep.json", "sweep.xml"]));
});

test("latchkey sweep says why nothing was swept", async () => {
  const failing = await sweep('console.log("no database"); process.exit(3)');
  const idle = await sweep("");
  const json = await sweep('console.log("no database"); process.exit(3)', "--json");
  const none = await sweep(blind, "--for", "0s", "--json");
  const unknown = await sweep(blind, "--case", "createKey.1.lost");

  expect(failing.stderr).toBe(
    "no database\n\nlatchkey: sweep: without a fault, the program fails: Error: it ended with exit code 3; nothing was swept\n",
  );
  expect([failing.code, failing.stdout]).toEqual([3, ""]);
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
    3,
    { cases: [], problem: expect.stringContaining("without a fault, the program fails") },
  ]);
  expect(none.code).toBe(2);
  expect(JSON.parse(none.stdout)).toEqual({
    cases: [],
    notes: [],
    problem: "sweep: no case ran: 6 cases did not run, because of `most` or `for`",
  });
  expect([idle.code, idle.stderr]).toEqual([
    2,
    expect.stringMatching(
      /^latchkey: sweep: the program made no call, so nothing was swept: expected .*LATCHKEY_URL/,
    ),
  ]);
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringContaining("sweep: case: unknown case (known: createKey(main).500, "),
  ]);
});

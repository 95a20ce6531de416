import { expect, test, vi } from "vitest";
import { connect } from "../../src/client/connect.ts";
import { createEmulator, type LogEntry } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, post, send } from "../_emulator.ts";
import { overHttp } from "../_reach.ts";
import { exec, inModule } from "../cli/_exec.ts";
import { rulesOf } from "./_programs.ts";

const inSeconds = { apiId: "api_one", expires: 1_790_000_000 };
const control = (path: string, method = "GET", token = "any_token") =>
  new Request(`http://emulator.test/_latchkey/${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
  });

test("calls with the same mistake are one finding, which is told in the log once", async () => {
  const log = vi.fn<(entry: LogEntry) => void>();
  const emulator = await givenEmulator({ log });

  for (let times = 0; times < 3; times += 1) await createKey(emulator, inSeconds);

  const [finding] = emulator.findings.list();
  expect(finding).toEqual({
    rule: "expires-in-seconds",
    requests: emulator.requests.list().map(({ requestId }) => requestId),
    why: "keys.createKey was sent expires: 1790000000, which the service reads as milliseconds: 1970-01-21. As seconds, it would be 2026-09-21",
    advice: expect.stringContaining("Send unix milliseconds"),
  });
  const told = log.mock.calls.flatMap(([entry]) => (entry.kind === "finding" ? [entry] : []));
  expect(told).toEqual([
    {
      kind: "finding",
      isWarned: false,
      finding,
      message: expect.stringMatching(
        /^expires-in-seconds: keys\.createKey .* \(request req_\w+\)\. Send /,
      ),
    },
  ]);
});

test("a member that v1 ignores is told in the log by one line, and is a finding", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const emulator = await createEmulator();

  await createKey(emulator, { apiId: "api_local", nmae: "CI" });

  expect(rulesOf(emulator)).toEqual(["member-ignored"]);
  expect(warn.mock.calls).toEqual([[expect.stringContaining("nmae: the service does not know")]]);
  warn.mockRestore();
});

test("each member that v1 ignores is one finding, in every call and every item of a list", async () => {
  const emulator = await givenEmulator();
  await createKey(emulator, { apiId: "api_one", nmae: "CI" });
  await createKey(emulator, { apiId: "api_one", nmae: "CI", owner: "user_1" });
  const roles = [
    { name: "a", slug: "a" },
    { name: "b", slug: "b" },
  ];
  await post(emulator, "/v1/keys.updateKey", { keyId: "key_gone", roles });

  const found = emulator.findings.list();

  expect(found.map(({ requests, why }) => [requests.length, why])).toEqual([
    [2, "keys.createKey of v1 was sent nmae, which the service ignores"],
    [1, "keys.createKey of v1 was sent owner, which the service ignores"],
    [1, expect.stringContaining("keys.updateKey of v1 was sent roles.")],
  ]);
});

test("reset and clear forget findings, and what rules remember", async () => {
  const emulator = await givenEmulator();
  const refuse = () => post(emulator, "/v2/keys.getKey", { keyId: "key_gone" });

  await createKey(emulator, inSeconds);
  await refuse();
  await refuse();
  await emulator.reset();
  await refuse();
  expect(emulator.findings.list()).toEqual([]);

  await createKey(emulator, inSeconds);
  expect(rulesOf(emulator)).toEqual(["expires-in-seconds"]);
  emulator.findings.clear();
  expect(emulator.findings.list()).toEqual([]);
});

test("a cursor of the state before a restore says nothing", async () => {
  const emulator = await givenEmulator();
  const two = [{ apiId: "api_one" }, { apiId: "api_one" }];
  await emulator.seed({ keys: two });
  const { body } = await listKeys(emulator, { apiId: "api_one", limit: 1 });

  await emulator.restore(emulator.snapshot());
  await listKeys(emulator, { apiId: "api_vault", cursor: body.cursor });

  expect(emulator.findings.list()).toEqual([]);
});

test("isolated workspaces have findings of their own", async () => {
  const emulator = await givenEmulator({ isolate: true });

  await createKey(emulator, inSeconds, { token: "one" });

  expect(emulator.workspace("one").findings.list()).toHaveLength(1);
  expect(emulator.workspace("other").findings.list()).toEqual([]);
  expect(emulator.findings.list()).toEqual([]);
});

test("each rule looks at the calls of each token by itself", async () => {
  const emulator = await givenEmulator();

  for (const token of ["one", "two", "three"]) {
    await post(emulator, "/v2/keys.getKey", { keyId: "key_gone" }, { token });
  }

  expect(emulator.findings.list()).toEqual([]);
});

test("a rule can be turned off, and only one that exists", async () => {
  const emulator = await givenEmulator({ ignoreFindings: ["expires-in-seconds"] });

  await createKey(emulator, inSeconds);

  expect(emulator.findings.list()).toEqual([]);
  const ignoreFindings = ["expires-in-second"] as unknown as ["expires-in-seconds"];
  await expect(createEmulator({ ignoreFindings })).rejects.toThrow(
    'options: ignoreFindings[0]: unknown rule, did you mean "expires-in-seconds"?',
  );
});

test("a world keeps 100 findings, and 100 requests of each", async () => {
  const emulator = await givenEmulator();
  const ask = (limit: number) => post(emulator, "/v2/apis.listKeys", { apiId: "api_one", limit });

  for (let times = 0; times < 103; times += 1) await ask(101);
  for (let limit = 102; limit < 212; limit += 1) {
    for (let times = 0; times < 3; times += 1) await ask(limit);
  }

  const findings = emulator.findings.list();
  expect(findings).toHaveLength(100);
  expect(findings[0]?.requests).toHaveLength(100);
});

test("control routes list and forget findings, and a token that watches only lists them", async () => {
  const tokens = [
    { token: "root_token", permissions: ["*"] },
    { token: "watching", permissions: ["latchkey.watch"] },
    { token: "calling", permissions: [] },
  ];
  const emulator = await givenEmulator({ tokens });
  await createKey(emulator, inSeconds, { token: "root_token" });
  const findings = emulator.findings.list();

  const statuses = async (method: string) =>
    Promise.all(
      ["watching", "calling", "root_token"].map(
        async (token) => (await send(emulator, control("findings", method, token))).status,
      ),
    );

  expect(findings).toHaveLength(1);
  const { body } = await send(emulator, control("findings", "GET", "watching"));
  expect(body).toEqual({ findings });
  expect(await statuses("GET")).toEqual([200, 403, 200]);
  expect(await statuses("DELETE")).toEqual([403, 403, 204]);
  expect(emulator.findings.list()).toEqual([]);
});

test("a client of the control routes lists and forgets findings", async () => {
  const { emulator, url } = await overHttp();
  await createKey(emulator, inSeconds);
  const { findings } = connect(url);

  expect(await findings.list()).toEqual(emulator.findings.list());
  await findings.clear();
  expect(await findings.list()).toEqual([]);
});

const MISTAKE = (token: string) => `
  const { LATCHKEY_URL: url } = process.env;
  const headers = { Authorization: "Bearer ${token}", "Content-Type": "application/json" };
  const call = (path, body) => fetch(url + path, { method: "POST", headers, body });
  await call("/v2/keys.createKey", JSON.stringify({ apiId: "api_local", expires: 1790000000 }));
  await call("/_latchkey/reset");
`;

test("exec --fail-on findings exits with 1 after a finding of any workspace, even after a reset", async () => {
  const { code, stderr } = await exec(
    inModule(MISTAKE("of_one")),
    "--isolate",
    "--fail-on",
    "findings",
  );

  expect(code).toBe(1);
  expect(stderr).toContain("latchkey: found 1 mistake in how the program calls the service:\n");
  expect(stderr).toMatch(/^latchkey: {3}expires-in-seconds: keys\.createKey .*\n$/m);
});

test.each([
  ["the code of the command", `${MISTAKE("any")}; process.exit(7)`, [], 7],
  ["0 if the rule is turned off", MISTAKE("any"), ["--ignore-finding", "expires-in-seconds"], 0],
  ["0 if there is no finding", "0", [], 0],
  ["0 if the finding was cleared", clearing(), [], 0],
])("exec --fail-on findings exits with %s", async (_what, code, flags, expected) => {
  const ended = await exec(inModule(code), "--fail-on", "findings", ...flags);

  expect(ended.code).toBe(expected);
});

function clearing(): string {
  return `${MISTAKE("any").replace('await call("/_latchkey/reset");', "")}
    await fetch(url + "/_latchkey/findings", { method: "DELETE", headers });`;
}

test.each([
  [["--fail-on", "finding"], "--fail-on: expected findings"],
  [
    ["--ignore-finding", "expires-in-second"],
    '--ignore-finding: "expires-in-second": unknown rule, did you mean "expires-in-seconds"?',
  ],
])("exec refuses %j", async (flags, line) => {
  const { code, stderr } = await exec("0", ...flags);

  expect(code).toBe(2);
  expect(stderr).toContain(line);
});

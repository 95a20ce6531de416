import { expect, test, vi } from "vitest";
import { connect } from "../../../src/control/client/connect.ts";
import { createEmulator, type LogEntry } from "../../../src/index.ts";
import { createKey, givenEmulator, post } from "../../_emulator.ts";
import { overHttp } from "../../_reach.ts";
import { rulesOf } from "./_programs.ts";

const inSeconds = { apiId: "api_one", expires: 1_790_000_000 };

test("calls with the same mistake are one finding, which is logged once", async () => {
  const log = vi.fn<(entry: LogEntry) => void>();
  const emulator = await givenEmulator({ log });

  for (let times = 0; times < 3; times += 1) await createKey(emulator, inSeconds);

  const [finding] = emulator.findings.list();
  expect(finding).toEqual({
    rule: "expires-in-seconds",
    requests: emulator.requests.list().map(({ requestId }) => requestId),
    why: "keys.createKey was sent a time in seconds: expires: 1790000000 is read as milliseconds: 1970-01-21. As seconds, it would be 2026-09-21",
    advice: expect.stringContaining("Send unix milliseconds"),
  });
  const told = log.mock.calls.flatMap(([entry]) => (entry.kind === "finding" ? [entry] : []));
  expect(told).toEqual([
    {
      kind: "finding",
      finding,
      message: expect.stringMatching(
        /^expires-in-seconds: keys\.createKey .* \(request req_\w+\)\. Send /,
      ),
    },
  ]);
});

test("reset and clear forget findings, and only reset forgets the cursors", async () => {
  const emulator = await givenEmulator();
  const list = (body: object) => post(emulator, "/v2/apis.listKeys", { apiId: "api_one", ...body });
  for (const name of ["a", "b"]) await emulator.keys.create({ apiId: "api_one", name });
  const { cursor } = (await list({ limit: 1 })).body.pagination;

  await list({ externalId: "user_1", cursor });
  expect(rulesOf(emulator)).toEqual(["cursor-of-another-list"]);
  emulator.findings.clear();
  expect(emulator.findings.list()).toEqual([]);
  await list({ externalId: "user_1", cursor });
  expect(rulesOf(emulator)).toEqual(["cursor-of-another-list"]);
  await emulator.reset();
  await list({ externalId: "user_1", cursor });
  expect(emulator.findings.list()).toEqual([]);
});

test("each isolated workspace has its own findings", async () => {
  const emulator = await givenEmulator({ isolate: true });

  await createKey(emulator, inSeconds, { token: "one" });

  expect(emulator.workspace("one").findings.list()).toHaveLength(1);
  expect(emulator.workspace("other").findings.list()).toEqual([]);
  expect(emulator.findings.list()).toEqual([]);
});

test("a rule can be turned off, and only one that exists", async () => {
  const emulator = await givenEmulator({ ignoreFindings: ["expires-in-seconds"] });

  await createKey(emulator, inSeconds);

  expect(emulator.findings.list()).toEqual([]);
  const ignoreFindings = ["expires-in-second"] as unknown as ["expires-in-seconds"];
  await expect(createEmulator({ ignoreFindings })).rejects.toThrow(
    'options: ignoreFindings[0]: unknown rule "expires-in-second", did you mean "expires-in-seconds"?',
  );
});

test("a world keeps 1,000 findings, and 100 requests of each", async () => {
  const emulator = await givenEmulator();
  const list = (body: object) => post(emulator, "/v2/apis.listKeys", { apiId: "api_one", ...body });
  for (const name of ["a", "b"]) await emulator.keys.create({ apiId: "api_one", name });
  const { cursor } = (await list({ limit: 1 })).body.pagination;

  for (let times = 0; times < 103; times += 1) await list({ externalId: "user_0", cursor });
  for (let user = 1; user < 1_003; user += 1) await list({ externalId: `user_${user}`, cursor });

  const findings = emulator.findings.list();
  expect(findings).toHaveLength(1_000);
  expect(findings[0]?.requests).toHaveLength(100);
});

test("a client of the control routes lists and forgets findings", async () => {
  const { emulator, url } = await overHttp();
  await createKey(emulator, inSeconds);
  const { findings } = connect(url);

  expect(await findings.list()).toEqual(emulator.findings.list());
  await findings.clear();
  expect(await findings.list()).toEqual([]);
});

import { describe, expect, test } from "vitest";
import { createEmulator, describeRequests, type Emulator } from "../../src/index.ts";
import { createWarningLog } from "../../src/service/log.ts";
import { NOW, post } from "../_emulator.ts";

const fixture = {
  apis: [{ id: "api_first" }],
  tokens: [{ token: "root_of_the_test", permissions: ["*"] }],
  keys: [{ apiId: "api_first", key: "value_0123456789abcdef", remaining: 1 }],
};
const token = "root_of_the_test";

async function run(more: object = {}): Promise<Emulator> {
  const emulator = await createEmulator({
    fixtures: [fixture],
    now: NOW,
    log: () => {},
    ...more,
  });
  const key = "value_0123456789abcdef";
  await post(emulator, "/v2/keys.verifyKey", { key }, { token });
  await post(emulator, "/v1/keys.verifyKey", { key }, { token });
  emulator.faults.add({ operation: "keys.createKey", status: 503, times: 1 });
  await post(emulator, "/v2/keys.createKey", { apiId: "api_first" }, { token });
  await post(emulator, "/v2/keys.createKey", { apiId: "api_frist" }, { token });
  await post(emulator, "/v2/keys.create", { key }, { token });
  return emulator;
}

describe("describeRequests", () => {
  test("has a line for each call, with its outcome, its fault and its hint", async () => {
    const emulator = await run();

    expect(describeRequests(emulator.requests.list()).split("\n")).toEqual([
      "latchkey saw 5 calls:",
      "  v2 keys.verifyKey     200 VALID",
      "  v1 keys.verifyKey     200 USAGE_EXCEEDED: no uses left",
      expect.stringMatching(/^ {2}v2 keys\.createKey {5}503 unkey\/\S+ \(fault_1\)$/),
      '  v2 keys.createKey     404 unkey/data/api_not_found: there is no API "api_frist"; the APIs here are api_first',
      expect.stringMatching(/^ {2}POST \/v2\/keys\.create {2}404/),
    ]);
  });

  test("shows the last calls, and how many there were", async () => {
    const requests = (await run()).requests.list();
    const many = Array.from({ length: 5 }, () => requests).flat();

    expect(describeRequests(many)).toMatch(/^latchkey saw 25 calls, the last 20 of them:\n {2}/);
    expect(describeRequests([])).toBe("latchkey saw no call");
  });

  test("shows no token and no key value", async () => {
    const emulator = await run();
    await post(emulator, `/v2/${token}`, {}, { token });

    expect(describeRequests(emulator.requests.list())).not.toMatch(
      /root_of_the_test|value_0123456789abcdef/,
    );
  });
});

describe("the log of warnings", () => {
  const warned = async (calls: readonly (readonly [path: string, input: object])[]) => {
    const lines: string[] = [];
    const log = createWarningLog(
      (line) => lines.push(line),
      () => {},
    );
    const emulator = await createEmulator({ fixtures: [fixture], now: NOW, log });
    for (const [path, input] of calls) await post(emulator, path, input, { token });
    return lines;
  };

  test("reports a refusal with a hint once for each operation and text", async () => {
    const lines = await warned([
      ["/v2/keys.createKey", { apiId: "api_frist" }],
      ["/v2/keys.createKey", { apiId: "api_fisrt" }],
      ["/v2/apis.getApi", { apiId: "api_frist" }],
      ["/v1/keys.createKey", { apiId: "api_frist" }],
    ]);

    const hint = 'there is no API "api_frist"; the APIs here are api_first';
    expect(lines).toEqual([
      `POST /v2/keys.createKey was refused with 404 unkey/data/api_not_found: ${hint}`,
      `POST /v2/apis.getApi was refused with 404 unkey/data/api_not_found: ${hint}`,
      expect.stringContaining("POST /v1/keys.createKey was refused with 404 NOT_FOUND: "),
    ]);
  });

  test("does not report a hint that only repeats what was sent", async () => {
    expect(await warned([["/v2/keys.whoami", { key: "value_of_no_key" }]])).toEqual([]);
  });
});

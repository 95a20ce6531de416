import { afterEach, describe, expect, test, vi } from "vitest";
import type { Served } from "../../_server.ts";
import { givenClient, givenServer, sendBytes } from "../../_server.ts";

const LIST =
  "GET /v1/apis.listKeys?apiId=api_one HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\n";
const NONE = LIST.replace("api_one", "api_none");
const statuses = (answer: string) =>
  [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

afterEach(() => {
  vi.useRealTimers();
});

describe("faults over HTTP", () => {
  test("the fault drop sends nothing, but earlier pipelined replies are complete", async () => {
    await using served = await givenServer();
    served.emulator.faults.add({ effect: "drop", times: 1 });
    const alone = await sendBytes(served.port, `${LIST}\r\n`);
    served.emulator.faults.add({ latency: 20, match: { limit: 1 } });
    served.emulator.faults.add({ effect: "drop", match: { limit: 2 } });
    const [first, second] = [1, 2].map((limit) =>
      LIST.replace("api_one", `api_one&limit=${limit}`),
    );

    const behind = await sendBytes(served.port, `${first}\r\n${second}\r\n${NONE}\r\n`);

    expect(alone).toBe("");
    expect(statuses(behind)).toEqual(["200"]);
    expect(behind).toMatch(/\r\n\r\n\{"keys":\[\],"total":0\}$/);
  });

  test("the fault truncate sends the whole head and half of the body", async () => {
    await using served = await givenServer();
    served.emulator.faults.add({ effect: "truncate" });

    const answer = await sendBytes(served.port, `${LIST}\r\n`);

    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n.*Content-Length: 21\r\n/s);
    expect(answer.split("\r\n\r\n")[1]).toBe('{"keys":[]');
  });

  test.each(["drop", "truncate", "malformed"] as const)(
    "the fault %s sends no body for HEAD",
    async (effect) => {
      await using served = await givenServer();
      served.emulator.faults.add({ effect });

      const head = LIST.replace("GET", "HEAD");
      const answer = await sendBytes(served.port, `${head}Connection: close\r\n\r\n`);

      expect(statuses(answer)).toEqual(effect === "drop" ? [] : ["200"]);
      expect(answer).not.toContain("{");
    },
  );

  test("a preflight request is hit by no fault", async () => {
    await using served = await givenServer();
    served.emulator.faults.add({ effect: "drop" });

    const preflight = LIST.replace("GET", "OPTIONS");
    const answer = await sendBytes(served.port, `${preflight}Connection: close\r\n\r\n`);

    expect(statuses(answer)).toEqual(["204"]);
  });
});

describe("close()", () => {
  const ask = (served: Served) => givenClient(served.port, `${LIST}\r\n`);

  test("close() does not wait for a request that a fault keeps hanging", async () => {
    await using served = await givenServer();
    served.emulator.faults.add({ effect: "hang", latency: 1 });
    const client = await ask(served);
    await served.emulator.requests.waitFor({ match: ({ duration }) => duration > 0 });

    await served.server.close({ grace: 3_600_000 });
    await client.ended;

    expect(client.received()).toBe("");
  });

  test("close() ends a fault's delay after the grace period and leaves no timer", async () => {
    const served = await givenServer();
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout");
    const before = timers().length;
    served.emulator.faults.add({ latency: 3_600_000 });
    const client = await ask(served);
    await served.emulator.requests.waitFor({ operation: "apis.listKeys" });

    await served.server.close({ grace: 0 });
    await client.ended;

    await expect.poll(() => timers().length).toBeLessThanOrEqual(before);
  });

  test("close() ends a fault's delay while fake timers are installed", async () => {
    const served = await givenServer();
    vi.useFakeTimers();
    served.emulator.faults.add({ latency: 1_000 });
    const client = await ask(served);
    await served.emulator.requests.waitFor({ operation: "apis.listKeys" });

    await served.server.close({ grace: 0 });
    await client.ended;

    expect(client.received()).toBe("");
  });
});

test.each(["over HTTP", "in process"])(
  "calls whose clients left during a latency end at once, as at the service, %s",
  async (way) => {
    await using served = await givenServer();
    served.emulator.faults.add({ latency: 3_600_000 });
    const timers = () =>
      process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const leave = new AbortController();
    const ask = way === "over HTTP" ? fetch : served.emulator.fetch;
    const calls = Array.from({ length: 200 }, () =>
      ask(`${served.url}/v1/keys.createKey`, {
        method: "POST",
        headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
        body: JSON.stringify({ apiId: "api_one" }),
        signal: leave.signal,
      }),
    );
    const ending = Promise.allSettled(calls);
    await expect.poll(() => served.emulator.requests.count()).toBe(200);

    leave.abort();
    await ending;

    const ended = () => served.emulator.requests.count({ status: 200 });
    await expect.poll(ended).toBe(200);
    expect(served.emulator.keys.count()).toBe(200);
    await expect.poll(timers).toBeLessThanOrEqual(before + 5);
  },
);

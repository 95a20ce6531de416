import { expect, test } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { givenEmulator } from "../_emulator.ts";
import { givenServer, type Served } from "../_server.ts";
import { control, countingListeners, create } from "./_control.ts";

/** A call that waits for a key, which is never created. */
async function givenWait(served: Served, options: { token?: string } = {}) {
  const waits = countingListeners(
    options.token === undefined ? served.emulator : served.emulator.workspace(options.token),
  );
  const answer = control(served, "GET /requests?operation=keys.createKey&wait=60s", options);
  await expect.poll(waits).toBe(1);
  return { answer, waits };
}

const ENDED = "requests: the emulator was reset, restored or closed while this call waited";

test("GET /requests with wait answers as soon as enough requests match", async () => {
  await using served = await givenServer();
  await create(served, { name: "CI" });
  const match = encodeURIComponent('{"name":"CI"}');
  const query = `operation=keys.createKey&version=v1&status=200&match=${match}`;

  const one = await control(served, `GET /requests?${query}&wait=60s`);
  const two = control(served, `GET /requests?${query}&wait=60000&count=2`);
  await create(served, { name: "other" });
  await create(served, { name: "CI" });

  expect([one.status, one.body.requests.length]).toEqual([200, 1]);
  const { body, status } = await two;
  expect([status, body.requests.length]).toEqual([200, 2]);
  expect(body.requests).toMatchObject([{ input: { name: "CI" } }, { input: { name: "CI" } }]);
});

test("GET /requests answers 408 when the time of wait is up, and says where the nearest request differs", async () => {
  await using served = await givenServer();
  await create(served, { name: "ci" });

  const match = encodeURIComponent('{"name":"CI"}');
  const { body, status } = await control(served, `GET /requests?match=${match}&wait=1`);

  const message =
    'requests: expected 1 of any operation with match {"name":"CI"} within 1 ms, got 0; nearest: keys.createKey 200, where match.name is "ci"; seen: keys.createKey 200';
  expect(status).toBe(408);
  expect(body).toEqual({ error: { message, problems: [message] } });
});

test.each(["POST /reset", "PUT /snapshot"])("%s ends a wait at once", async (call) => {
  await using served = await givenServer();
  const { answer, waits } = await givenWait(served);

  await control(served, call, { body: call.startsWith("PUT") ? {} : undefined });

  const { body, status } = await answer;
  expect([status, body.error.message]).toEqual([409, ENDED]);
  expect(waits()).toBe(0);
});

test("a reset of one isolated workspace does not end a wait in another", async () => {
  await using served = await givenServer({ isolate: true });
  const mine = await givenWait(served, { token: "mine" });

  await control(served, "POST /reset", { token: "other" });
  const before = mine.waits();
  await control(served, "POST /reset", { token: "mine" });

  expect(before).toBe(1);
  expect((await mine.answer).status).toBe(409);
});

test("a server that is closed ends a wait at once, with an answer", async () => {
  await using served = await givenServer();
  const { answer } = await givenWait(served);

  await served.server.close({ grace: 3_600_000 });

  const { body, status } = await answer;
  expect([status, body.error.message]).toEqual([409, ENDED]);
});

test.each(["over HTTP", "in process"])("a wait ends when its client leaves, %s", async (way) => {
  await using served = await givenServer();
  const waits = countingListeners(served.emulator);
  const leave = new AbortController();
  const ask = way === "over HTTP" ? fetch : served.emulator.fetch;
  const answer = ask(`${served.url}/_latchkey/requests?wait=60s`, { signal: leave.signal });
  const ending = expect(answer).rejects.toThrow("abort");
  await expect.poll(waits).toBe(1);

  leave.abort();

  await ending;
  await expect.poll(waits).toBe(0);
});

test("a wait leaves no trace: it is in no journal and uses up no id", async () => {
  await using served = await givenServer();
  await using other = await givenServer();

  await control(served, "GET /requests?wait=1");
  const [first, second] = [await create(served), await create(other)];

  expect(served.emulator.requests.count()).toBe(1);
  expect(first.body).toEqual(second.body);
});

test.each<[string, (emulator: Emulator) => Promise<void>]>([
  ["reset", (emulator) => emulator.reset()],
  ["restore", (emulator) => emulator.restore(emulator.snapshot())],
])("waitFor in process rejects at a %s, and no later call meets it", async (_, replace) => {
  const emulator = await givenEmulator();
  const waits = countingListeners(emulator);
  const waiting = emulator.requests.waitFor({ operation: "keys.createKey" }, "1h");
  const ending = expect(waiting).rejects.toThrow(
    "requests.waitFor: the emulator was reset or restored while it waited",
  );

  await replace(emulator);
  await ending;

  expect(waits()).toBe(0);
});

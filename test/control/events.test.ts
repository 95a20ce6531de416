import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Emulator, RecordedRequest } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys } from "../_emulator.ts";
import { givenServer } from "../_server.ts";
import { countingListeners } from "./_control.ts";

const key = { apiId: "api_one" };

interface Told {
  readonly name: string;
  readonly data: Partial<RecordedRequest> & { readonly revision?: number };
}

/** Collects the events of a response until it is stopped. */
async function follow(answer: (signal: AbortSignal) => Promise<Response>) {
  const end = new AbortController();
  const response = await answer(end.signal);
  const told: Told[] = [];
  const reading = (async () => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      told.push(...events.flatMap(toTold));
    }
  })().catch(() => {});
  return {
    response,
    told,
    ended: reading,
    names: () => told.map(({ name }) => name),
    requests: () => told.filter(({ name }) => name === "request").map(({ data }) => data),
    stop: () => end.abort(),
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await reading;
    },
  };
}

function toTold(event: string): Told[] {
  const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
  return name === undefined || data === undefined ? [] : [{ name, data: JSON.parse(data) }];
}

function inProcess(emulator: Emulator, token = "any") {
  const headers = { Authorization: `Bearer ${token}` };
  return (signal: AbortSignal) =>
    emulator.fetch("http://emulator.test/_latchkey/events", { headers, signal });
}

function overHttp({ url }: { readonly url: string }, token = "any") {
  const headers = { Authorization: `Bearer ${token}` };
  return (signal: AbortSignal) => fetch(`${url}/_latchkey/events`, { headers, signal });
}

test("GET /events streams the journal's requests so far, and then new ones", async () => {
  await using served = await givenServer();
  await createKey(served.emulator, { ...key, name: "before" });
  await using followed = await follow(overHttp(served));
  await expect.poll(() => followed.requests()).toHaveLength(1);

  await listKeys(served.emulator, { apiId: "api_none" });
  await expect.poll(() => followed.requests()).toHaveLength(2);

  expect(followed.response.headers.get("content-type")).toBe("text/event-stream");
  const journal: unknown = JSON.parse(JSON.stringify(served.emulator.requests.list()));
  expect(followed.requests()).toEqual(journal);
});

test("a call that a fault delays is streamed when its delay begins and when it ends", async () => {
  await using served = await givenServer();
  await using followed = await follow(overHttp(served));
  served.emulator.faults.add({ latency: 300 });

  const answer = createKey(served.emulator, key);
  await expect.poll(() => followed.requests().map(({ status }) => status)).toEqual([undefined]);
  await answer;

  await expect.poll(() => followed.requests()).toHaveLength(2);
  const [first, last] = followed.requests();
  expect(last).toMatchObject({ requestId: first?.requestId, status: 200, faults: ["fault_1"] });
});

test("changes of records, faults, findings or clock are streamed with a growing revision", async () => {
  await using served = await givenServer();
  const { clock, faults, keys } = served.emulator;
  await using followed = await follow(overHttp(served));
  const revisions = () => followed.told.flatMap(({ data }) => data.revision ?? []);
  await expect.poll(revisions).toHaveLength(1);

  const changes = [
    () => void faults.add({ status: 500 }),
    () => clock.advance("1h"),
    async () => void (await listKeys(served.emulator, { ...key, colour: "red" })),
    () => served.emulator.findings.clear(),
    async () => void (await keys.create(key)),
    () => served.emulator.reset(),
  ];
  for (const [index, change] of changes.entries()) {
    await change();
    await expect.poll(() => revisions().length).toBeGreaterThan(index + 1);
  }

  expect(revisions()).toEqual(revisions().toSorted((a, b) => a - b));
  const { length } = revisions();
  await listKeys(served.emulator, key);
  await expect.poll(() => followed.requests()).toHaveLength(2);
  expect(revisions()).toHaveLength(length);
});

test("an emptied journal is streamed as a `forgotten` event, after a reset too", async () => {
  await using served = await givenServer();
  await createKey(served.emulator, key);
  await using followed = await follow(overHttp(served));
  await expect.poll(() => followed.requests()).toHaveLength(1);

  served.emulator.requests.clear();
  await expect.poll(() => followed.names()).toContain("forgotten");
  await createKey(served.emulator, key);
  await served.emulator.reset();

  await expect.poll(() => followed.names().filter((name) => name === "forgotten")).toHaveLength(2);
  await listKeys(served.emulator, key);
  await expect.poll(() => followed.requests().at(-1)?.operation).toBe("apis.listKeys");
  // The last reset came right after a call, which is not streamed any more.
  const afterReset = followed.names().slice(followed.names().lastIndexOf("forgotten"));
  expect(afterReset.filter((name) => name === "request")).toHaveLength(1);
});

test("emulator.fetch streams events in process until its signal is aborted", async () => {
  const emulator = await givenEmulator();
  const followed = await follow(inProcess(emulator));
  await createKey(emulator, key);
  await expect.poll(() => followed.requests()).toHaveLength(1);

  followed.stop();
  await followed.ended;
  await createKey(emulator, key);

  expect(followed.requests()).toHaveLength(1);
});

test("with isolation, a stream follows the workspace of its token and keeps it from eviction", async () => {
  await using served = await givenServer({ isolate: true });
  await using followed = await follow(overHttp(served, "mine"));
  await createKey(served.emulator, key, { token: "mine" });
  await createKey(served.emulator, key, { token: "other" });
  for (let number = 0; number < 1_010; number += 1) {
    await listKeys(served.emulator, key, { token: `crowd-${number}` });
  }
  await createKey(served.emulator, key, { token: "mine" });

  await expect.poll(() => followed.requests()).toHaveLength(2);
  expect(served.emulator.workspace("mine").keys.count()).toBe(2);
});

test("closing the server ends event streams at once", async () => {
  const served = await givenServer();
  const followed = await follow(overHttp(served));
  await expect.poll(() => followed.names()).toContain("change");

  await served.server.close({ grace: 3_600_000 });

  await followed.ended;
});

const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

test.each<[string, (response: Response, abort: () => void) => Promise<unknown>]>([
  ["cancels at once", async ({ body }) => body?.cancel()],
  ["aborts after a while", (_, abort) => pause(150).then(abort)],
])("the journal has no listener left after an in-process client %s", async (_, leave) => {
  const emulator = await givenEmulator();
  const listeners = countingListeners(emulator);
  const end = new AbortController();
  const response = await inProcess(emulator)(end.signal);

  await leave(response, () => end.abort());

  await expect.poll(listeners).toBe(0);
  await createKey(emulator, key);
});

test.each(["a request", "a URL"])(
  "emulator.fetch of %s can still be aborted after garbage collection",
  async (way) => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const emulator = await givenEmulator();
    emulator.faults.add({ effect: "hang", operation: "apis.listKeys" });
    const ends = Array.from({ length: 10 }, () => new AbortController());
    const ask = (path: string, { signal }: AbortController) => {
      const init = { headers: { Authorization: "Bearer any" }, signal };
      const url = `http://emulator.test${path}`;
      return way === "a request"
        ? emulator.fetch(new Request(url, init))
        : emulator.fetch(url, init);
    };
    const followed = await Promise.all(
      ends.map((end) => follow(() => ask("/_latchkey/events", end))),
    );
    const hanging = ends.map((end) =>
      ask("/v1/apis.listKeys?apiId=api_one", end).catch((error: Error) => error.name),
    );
    for (let time = 0; time < 3; time += 1) {
      await pause(20);
      collect();
    }

    for (const end of ends) end.abort();

    await Promise.all(followed.map(({ ended }) => ended));
    expect(await Promise.all(hanging)).toEqual(ends.map(() => "AbortError"));
  },
);

test("a stream ends without further events once its token may not use control routes", async () => {
  const fixtures = [
    { apis: [{ id: "api_one" }], tokens: [{ token: "root_one", permissions: ["*"] }] },
  ];
  await using served = await givenServer({ fixtures });
  await using followed = await follow(overHttp(served, "root_one"));
  await expect.poll(() => followed.names()).toContain("change");

  const tokens = [{ token: "root_two", permissions: ["*"] }];
  await served.emulator.restore({ apis: [{ id: "api_one" }], tokens });
  await createKey(served.emulator, key, { token: "root_two" });
  await followed.ended;

  expect(followed.requests()).toEqual([]);
});

test("the 51st event stream of a token is refused with 503, and the streams of other tokens go on", async () => {
  const emulator = await givenEmulator({ isolate: true, controlToken: "control_me" });
  const followers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      follow(inProcess(emulator, index < 50 ? "one" : `other-${index}`)),
    ),
  );
  await Promise.all(followers.map(({ names }) => expect.poll(names).toContain("change")));
  const statusOf = async (token: string) => {
    await using followed = await follow(inProcess(emulator, token));
    return followed.response.status;
  };

  const end = new AbortController();
  const refused = await inProcess(emulator, "one")(end.signal);
  const message =
    "events: expected at most 50 open event streams of one token; close one of the others";
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: { message } }]);
  expect(await Promise.all(["other-99", "control_me"].map(statusOf))).toEqual([200, 200]);

  for (const { stop } of followers) stop();
  await Promise.all(followers.map(({ ended }) => ended));
  expect(await statusOf("one")).toBe(200);
});

test("events are streamed while fake timers are installed", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const emulator = await givenEmulator({ now: undefined });
  await using followed = await follow(inProcess(emulator));

  await createKey(emulator, key);

  await vi.waitUntil(() => followed.requests().length === 1);
});

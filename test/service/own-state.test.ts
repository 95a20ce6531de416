import { expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { defineOperation, onApi, type Operation } from "../../src/index.ts";
import { givenEmulator, givenLogged, NOW, openWorld, post, type Door } from "../_emulator.ts";

const counts = () => ({ calls: 0 });

/** An operation of v2 that counts its calls, and returns the number of this one. */
const counting = (name: string, state: () => { calls: number } = counts) =>
  defineOperation({
    contract: {
      name,
      method: "POST",
      path: `/v2/${name}`,
      input: z.strictObject({}),
      output: z.object({ data: z.object({ call: z.int() }) }),
    },
    state,
    run({ state: kept }) {
      kept.calls += 1;
      return { data: { call: kept.calls } };
    },
  });
const count = async (door: Door, token = "any", name = "tests.count"): Promise<number> =>
  (await post(door, `/v2/${name}`, {}, { token })).body.data.call;

const operations = [counting("tests.count")];

test("an operation finds in its state what earlier calls left there", async () => {
  const emulator = await givenEmulator({ operations });

  expect([await count(emulator), await count(emulator)]).toEqual([1, 2]);
});

test("emulators do not share the state of an operation", async () => {
  const one = await givenEmulator({ operations });
  const other = await givenEmulator({ operations });

  expect([await count(one), await count(one), await count(other)]).toEqual([1, 2, 1]);
});

test("reset, restore and reseed forget the state of operations, and seed keeps it", async () => {
  const emulator = await givenEmulator({ operations });
  const snapshot = emulator.snapshot();
  const changes = {
    seed: () => emulator.seed({ apis: [{ id: "api_more" }] }),
    reset: () => emulator.reset(),
    restore: () => emulator.restore(snapshot),
    "restore of JSON": () => emulator.restore(JSON.parse(JSON.stringify(snapshot))),
    reseed: () => emulator.reseed([openWorld]),
  };

  const after: Record<string, number> = {};
  for (const [name, change] of Object.entries(changes)) {
    await count(emulator);
    await change();
    after[name] = await count(emulator);
  }

  expect(after).toEqual({ seed: 2, reset: 1, restore: 1, "restore of JSON": 1, reseed: 1 });
});

test("no snapshot has the state of an operation", async () => {
  const emulator = await givenEmulator({
    operations: [counting("tests.count", () => ({ calls: 123_454_320 }))],
  });

  expect(await count(emulator)).toBe(123_454_321);
  expect(JSON.stringify(emulator.snapshot())).not.toContain("12345432");
});

test("with isolation, each token has a state that only its own reset forgets", async () => {
  const emulator = await givenEmulator({ isolate: true, operations });
  await count(emulator, "one");
  await count(emulator, "two");

  await emulator.workspace("one").reset();

  expect([await count(emulator, "one"), await count(emulator, "two")]).toEqual([1, 2]);
  await emulator.reset({ all: true });
  expect(await count(emulator, "two")).toBe(1);
});

test("operations with the same function share a state, and others do not", async () => {
  const own = () => ({ calls: 10 });
  const emulator = await givenEmulator({
    operations: [counting("tests.one"), counting("tests.two"), counting("tests.three", own)],
  });

  const seen = [];
  for (const name of ["tests.one", "tests.two", "tests.three"]) {
    seen.push(await count(emulator, "any", name));
  }

  expect(seen).toEqual([1, 2, 11]);
});

test.each<[returned: unknown, found: string]>([
  [5, "5"],
  [null, "null"],
  [undefined, "nothing"],
  [Promise.resolve({}), "a promise"],
])("a state of %s is logged as a bug of the operation", async (returned, found) => {
  const operations = [counting("tests.count", () => returned as never)];
  const { bugs, emulator } = await givenLogged({ operations });

  const { status } = await post(emulator, "/v2/tests.count", {});

  expect(status).toBe(500);
  expect(bugs[0]?.operation).toBe("tests.count");
  expect(String(bugs[0]?.error)).toContain(`tests.count: state: expected an object, got ${found}`);
});

test("a state that rejects is answered with 500, and leaves no rejection that would end the process", async () => {
  const state = async () => {
    throw new Error("no state");
  };
  const operations = [counting("tests.count", state as never)];
  const emulator = await givenEmulator({ log: () => {}, operations });

  expect((await post(emulator, "/v2/tests.count", {})).status).toBe(500);
});

test("a state that is no function is refused with the operation", async () => {
  const odd = { ...counting("tests.count"), state: { calls: 0 } } as unknown as Operation;

  await expect(givenEmulator({ operations: [odd] })).rejects.toThrow(
    "options: operations[0].state: expected a function that returns an object, got an object",
  );
});

const ask = defineOperation({
  contract: {
    name: "tests.ask",
    method: "POST",
    path: "/v2/tests.ask",
    input: z.strictObject({}),
    output: z.object({ data: z.object({ times: z.array(z.number()) }) }),
  },
  state: () => ({ times: [] as number[], apiId: "api_one" }),
  requires({ now, state }) {
    state.times.push(now);
    return [onApi(state.apiId, "read_api")];
  },
  run({ now, state: { times } }) {
    times.push(now);
    return { data: { times } };
  },
});

test("requires has the state of the operation too", async () => {
  const token = { token: "reader", permissions: ["api.api_one.read_api"] };
  const fixtures = [{ ...openWorld, tokens: [token, { token: "other", permissions: [] }] }];
  const emulator = await givenEmulator({ operations: [ask], fixtures });

  const other = await post(emulator, "/v2/tests.ask", {}, { token: "other" });
  const reader = await post(emulator, "/v2/tests.ask", {}, { token: "reader" });

  expect(other.status).toBe(403);
  expect(reader.body.data.times).toEqual([NOW, NOW, NOW]);
});

test("now is the time of the emulator's clock, in unix milliseconds", async () => {
  const emulator = await givenEmulator({ operations: [ask] });

  await post(emulator, "/v2/tests.ask", {});
  emulator.clock.advance("30s");
  const { body } = await post(emulator, "/v2/tests.ask", {});

  expect(body.data.times).toEqual([NOW, NOW, NOW + 30_000, NOW + 30_000]);
});

test("an operation without state has none", async () => {
  const seen: unknown[] = [];
  const look = defineOperation({
    ...ask,
    state: undefined,
    run({ state }) {
      expectTypeOf(state).toEqualTypeOf<undefined>();
      seen.push(state);
      return { data: {} };
    },
    requires: () => [],
  });
  const emulator = await givenEmulator({ operations: [look] });

  await post(emulator, "/v2/tests.ask", {});

  expect(seen).toEqual([undefined]);
});

test("the type of a state follows from its function", () => {
  defineOperation({
    contract: ask.contract,
    state: () => new Map<string, number>(),
    requires({ now, state }) {
      expectTypeOf(now).toEqualTypeOf<number>();
      expectTypeOf(state).toEqualTypeOf<Map<string, number>>();
      return [];
    },
    run({ now, state }) {
      expectTypeOf(now).toEqualTypeOf<number>();
      expectTypeOf(state).toEqualTypeOf<Map<string, number>>();
      return {};
    },
  });
  // @ts-expect-error a number, which no call could change
  defineOperation({ contract: ask.contract, state: () => 0, run: () => ({}) });
});

import { describe, expect, test } from "vitest";
import type { EmulatorOptions, ResetOptions, Sandbox } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, type Door } from "../_emulator.ts";

const key = { apiId: "api_one" };

const options: EmulatorOptions = {
  fixtures: [
    {
      workspace: { id: "ws_one" },
      apis: [{ id: "api_one", storeEncryptedKeys: true }],
      roles: [{ name: "admin" }],
      keys: [
        { ...key, id: "key_given", name: "given" },
        { ...key, roles: ["admin"] },
      ],
    },
  ],
  generate: 5,
};

/** Makes a few calls, two of them refused, and returns all ids and key values of the answers. */
async function make(door: Door, token = "any_token"): Promise<string[]> {
  const made: string[] = [];
  for (const name of ["ann", "bob"]) {
    const body = { ...key, externalId: name, roles: [name], permissions: [name] };
    const { body: result, headers } = await createKey(door, body, { token });
    made.push(result.keyId, result.key, headers.get("unkey-request-id") ?? "");
  }
  const refused = await listKeys(door, "", { token });
  const stranger = await listKeys(door, key, { token: null });
  return [...made, refused.body.error.requestId, stranger.body.error.requestId];
}

function idsOf({ identities, keys, permissions, roles }: Sandbox): string[] {
  return [identities, keys, permissions, roles].flatMap((each) => each.all().map(({ id }) => id));
}

/** The ids and key values that the same calls yield at first and after each of these resets. */
async function lives(
  sandbox: Sandbox,
  door: Door,
  resets: readonly ResetOptions[],
  token?: string,
) {
  const start = idsOf(sandbox);
  const all: string[][] = [];
  for (const reset of [undefined, ...resets]) {
    if (reset !== undefined) await sandbox.reset(reset);
    expect(idsOf(sandbox)).toEqual(start);
    const made = await make(door, token);
    const added = idsOf(sandbox).filter((id) => !start.includes(id));
    all.push([...new Set([...made, ...added])]);
  }
  return all;
}

const fresh = { freshIds: true };

test("a reset repeats ids and key values, but a reset with freshIds never does", async () => {
  const emulator = await givenEmulator(options);

  const [first, second, plain, third, fourth] = await lives(emulator, emulator, [
    fresh,
    {},
    fresh,
    { freshIds: true },
  ]);

  expect(plain).toEqual(first);
  const all = [first, second, third, fourth].flat();
  expect(new Set(all).size).toBe(all.length);
  expect(first?.length).toBeGreaterThan(12);
});

test("a reset with freshIds restores the same records as one without", async () => {
  const emulator = await givenEmulator(options);
  const { snapshot: _, ...start } = emulator.snapshot();
  await make(emulator);

  await emulator.reset(fresh);

  const { snapshot, ...records } = emulator.snapshot();
  expect(records).toEqual(start);
  expect(snapshot?.randomSeed).toBe(emulator.randomSeed);
});

describe("the random seed after a reset with freshIds, as an option of a new emulator,", () => {
  const start = async () => {
    const emulator = await givenEmulator(options);
    const before = await make(emulator);
    await emulator.reset(fresh);
    const { randomSeed } = emulator;
    expect(randomSeed).not.toBe(1);
    return { before, emulator, other: await givenEmulator({ ...options, randomSeed }) };
  };

  test("makes the same ids and key values again", async () => {
    const { before, emulator, other } = await start();
    for (const { clock } of [emulator, other]) clock.advance("1s");

    const made = await make(emulator);

    expect(await make(other)).toEqual(made);
    expect(made.some((each) => before.includes(each))).toBe(false);
    await emulator.reset();
    expect(emulator.randomSeed).toBe(1);
  });

  test("makes the same key values in a second that had ids before, but smaller ids", async () => {
    const { emulator, other } = await start();

    const [mine, theirs] = [await createKey(emulator, key), await createKey(other, key)];

    expect(mine.body.key).toBe(theirs.body.key);
    expect(mine.body.keyId > theirs.body.keyId).toBe(true);
  });

  test("makes faults hit the same calls", async () => {
    const { emulator, other } = await start();
    const statuses = [emulator, other].map(async (each) => {
      each.faults.add({ status: 500, probability: 0.5 });
      const all: number[] = [];
      for (let call = 0; call < 40; call += 1) all.push((await listKeys(each, key)).status);
      return all;
    });

    expect(await statuses[0]).toEqual(await statuses[1]);
  });
});

test("key ids keep growing over resets with freshIds, even when the clock goes back", async () => {
  const emulator = await givenEmulator(options);
  const ids: string[] = [];
  for (let round = 0; round < 20; round += 1) {
    for (const _ of [1, 2, 3]) ids.push((await createKey(emulator, key)).body.keyId);
    if (round === 5) {
      emulator.clock.advance("1h");
      ids.push((await createKey(emulator, key)).body.keyId);
    }
    await emulator.reset(fresh);
  }

  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

describe("restored snapshots", () => {
  test.each([
    ["from the object", (text: string) => text],
    ["from its JSON", (text: string) => JSON.parse(JSON.stringify(text))],
  ])("a snapshot that is restored %s continues its own sequence of ids", async (_, written) => {
    const emulator = await givenEmulator(options);
    await emulator.reset(fresh);
    const snapshot = emulator.snapshot();
    const expected = await make(emulator);
    await emulator.reset(fresh);
    const later = await make(emulator);

    await emulator.restore(written(snapshot as never) as never);

    expect(await make(emulator)).toEqual(expected);
    const copy = await givenEmulator({ fixtures: [snapshot], randomSeed: undefined });
    expect(await make(copy)).toEqual(expected);
    for (const sandbox of [emulator, copy]) {
      await sandbox.reset(fresh);
      const made = await make(sandbox);
      const before = sandbox === emulator ? [...expected, ...later] : expected;
      expect(made.some((each) => before.includes(each))).toBe(false);
    }
    await emulator.reset(fresh);
    const last = await make(emulator);
    expect(last.some((each) => later.includes(each))).toBe(false);
  });

  test("a snapshot continues its ids in an emulator that had fewer resets with freshIds", async () => {
    const other = await givenEmulator(options);
    for (const _ of [1, 2, 3]) await other.reset(fresh);
    const emulator = await givenEmulator(options);
    await emulator.restore(JSON.parse(JSON.stringify(other.snapshot())));
    const made = [await make(emulator)];
    for (const _ of [1, 2, 3]) {
      await emulator.reset(fresh);
      made.push(await make(emulator));
    }

    expect(new Set(made.flat()).size).toBe(made.flat().length);
  });
});

test("with isolation, freshIds changes only the ids of the workspace that is reset", async () => {
  const emulator = await givenEmulator({ ...options, isolate: true });
  const [mine, yours] = [emulator.workspace("mine"), emulator.workspace("yours")];
  const resets = [fresh, fresh];

  const all = await lives(mine, emulator, resets, "mine");

  // Calls without a token draw request ids from the shared world, which is not reset here.
  const own = all.map((made) => made.filter((each) => !each.startsWith("req_"))).flat();
  expect(new Set(own).size).toBe(own.length);
  const [first] = await lives(yours, emulator, [], "yours");
  expect(first).toEqual(expect.arrayContaining(all[0]?.filter((e) => e.startsWith("key_")) ?? []));
});

test("a reset of all workspaces with freshIds repeats no id of any workspace", async () => {
  const emulator = await givenEmulator({ ...options, isolate: true });
  const made: string[] = [];
  for (const reset of [undefined, fresh, fresh]) {
    await emulator.reset({ all: true });
    if (reset !== undefined) await emulator.reset({ all: true, ...reset });
    const all = await make(emulator, "mine");
    made.push(...all.filter((each) => !each.startsWith("req_")));
  }

  expect(new Set(made).size).toBe(made.length);
});

test("reseed starts the ids over, and a later reset with freshIds repeats none of them", async () => {
  const emulator = await givenEmulator(options);
  const first = await make(emulator);
  await emulator.reset(fresh);
  const second = await make(emulator);

  await emulator.reseed(options.fixtures ?? []);

  expect(await make(emulator)).toEqual(first);
  await emulator.reset(fresh);
  const third = await make(emulator);
  expect(third.some((each) => [...first, ...second].includes(each))).toBe(false);
});

test.each([
  [
    { freshId: true },
    'reset: freshId: unknown option, did you mean "freshIds"? (known: all, freshIds)',
  ],
  [{ freshIds: "true" }, "reset: freshIds: expected true or false, got a string of 4 characters"],
  [{ freshIds: null }, "reset: freshIds: expected true or false, got null"],
  [true, "reset: expected an object, got true"],
  [null, "reset: expected an object, got null"],
])("reset refuses the options %j and changes nothing", async (wrong, message) => {
  const emulator = await givenEmulator(options);
  await make(emulator);
  const before = JSON.stringify(emulator.snapshot());

  await expect(emulator.reset(wrong as ResetOptions)).rejects.toThrow(message);

  expect(JSON.stringify(emulator.snapshot())).toBe(before);
});

test.each([
  [{ all: true }, "reset: all: unknown option (known: freshIds)"],
  [{ freshIds: 1 }, "reset: freshIds: expected true or false, got 1"],
])("reset of an isolated workspace refuses the options %j", async (wrong, message) => {
  const emulator = await givenEmulator({ ...options, isolate: true });

  const resetting = emulator.workspace("ann").reset(wrong as ResetOptions);

  await expect(resetting).rejects.toThrow(message);
});

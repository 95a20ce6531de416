import { describe, expect, test } from "vitest";
import { createEmulator, type EmulatorOptions } from "../../src/index.ts";
import { givenEmulator, listAll, NOW } from "../_emulator.ts";
import { listAllV2 } from "../_v2.ts";

const world: EmulatorOptions = { fixtures: [{ generate: [{ profile: "paging" }] }], now: NOW };

describe("the profile paging", () => {
  test.each([0, 1, 99, 100, 101, 200, 250])(
    "has an API of %i keys, each of which is on one page, whatever the limit",
    async (count) => {
      const emulator = await givenEmulator(world);
      const apiId = `api_paging_${count}`;
      const expected = emulator.keys.findMany({ apiId }).map(({ id }) => id);

      const byTen = await listAll(emulator, { apiId, limit: 10 });
      const byHundred = await listAllV2(emulator, { apiId, limit: 100 });

      expect(expected).toHaveLength(count);
      expect(byTen.map(({ id }) => id)).toEqual(expected);
      expect(byHundred.map(({ keyId }) => keyId)).toEqual(expected);
    },
  );

  test("has an owner with more keys than a page, one with fewer, and one without keys", async () => {
    const emulator = await givenEmulator(world);

    const counts = emulator.identities
      .all()
      .map(({ externalId }) => [
        externalId,
        emulator.keys.findMany({ apiId: "api_paging_250", externalId }).length,
      ]);

    expect(Object.fromEntries(counts)).toEqual({
      org_many_keys: 150,
      org_some_keys: 50,
      org_without_keys: 0,
    });
    expect(emulator.keys.count({ externalId: "org_without_keys" })).toBe(0);
  });

  test("has names that are long, in other scripts, or missing", async () => {
    const emulator = await givenEmulator(world);

    const names = new Set(emulator.keys.all().map(({ name }) => name));

    expect(names.size).toBe(7);
    expect(names.has(undefined)).toBe(true);
    expect([...names].filter((name = "") => /[^\u0020-\u00ff]/.test(name))).toHaveLength(4);
    expect([...names].filter((name = "") => name.length > 200)).toHaveLength(1);
  });

  test("can be ordered in process, and added to a running emulator", async () => {
    const inProcess = await createEmulator({ generate: { profile: "paging" }, now: NOW });
    const added = await givenEmulator({ fixtures: [] });
    await added.seed({ generate: [{ profile: "paging" }] });

    expect(inProcess.keys.count({ apiId: "api_paging_101" })).toBe(101);
    expect(added.keys.count()).toBe(751);
  });

  test("does not change the keys that are generated beside it", async () => {
    const beside = { apis: [{ id: "api_mine" }] };
    const generate = [{ apiId: "api_mine", count: 20 }];
    const options = { now: NOW, randomSeed: 1 };
    const alone = await createEmulator({ ...options, fixtures: [{ ...beside, generate }] });
    const both = await createEmulator({
      ...options,
      fixtures: [{ ...beside, generate: [{ profile: "paging" }, ...generate] }],
    });

    const keysOf = ({ keys }: typeof both) => keys.findMany({ apiId: "api_mine" });

    expect(keysOf(both).map(({ id }) => id)).toEqual(keysOf(alone).map(({ id }) => id));
    expect(keysOf(both).map(({ externalId }) => externalId)).toEqual(
      keysOf(alone).map(({ externalId }) => externalId),
    );
  });

  test.each([
    [[{ profile: "pages" }], 'fixtures[0]: generate[0].profile: expected "paging", got "pages"'],
    [
      [{ profile: "paging", count: 5, apiId: "api_mine" }],
      "fixtures[0]: generate[0].apiId: expected no other member beside `profile`; write another entry\nfixtures[0]: generate[0].count: expected no other member beside `profile`; write another entry",
    ],
    [
      [{ apiId: "api_mine" }],
      "fixtures[0]: generate[0].count: expected an integer from 0 to 1000000, or `profile` in its place",
    ],
  ])("the request %j is refused", async (generate, message) => {
    const fixture = { apis: [{ id: "api_mine" }], generate };

    await expect(createEmulator({ fixtures: [fixture as object] })).rejects.toThrow(message);
  });

  test("an API that is listed twice is refused with both places", async () => {
    const fixture = { apis: [{ id: "api_paging_1" }], generate: [{ profile: "paging" as const }] };

    await expect(createEmulator({ fixtures: [fixture] })).rejects.toThrow(
      /fixtures\[0\]: generate\[0\]\.apis\[1\]\.id: /,
    );
  });
});

import { describe, expect, test } from "vitest";
import { ruleNames } from "../../src/findings/rules.ts";
import { reaches } from "../_reach.ts";
import {
  call,
  expectInJournal,
  get,
  newer,
  older,
  oldest,
  quick,
  ROOT,
  rulesOf,
  world,
  type Program,
} from "./_programs.ts";

interface Pair {
  readonly rule: string;
  readonly what: string;
  readonly wrong: Program;
  readonly mended: Program;
}

const create = { apiId: "api_one", name: "CI deploy", externalId: "user_1" };
const lost = { operation: "keys.createKey", effect: "drop", when: "after", times: 1 } as const;
const busy = { status: 429, headers: { "Retry-After": "1" }, times: 1 } as const;
const wait = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

const pairs: readonly Pair[] = [
  {
    rule: "create-repeated",
    what: "the client 2.5.1 that repeats a create by itself",
    async wrong({ emulator, url }) {
      // Twice, because the client may repeat a call for the first time at once.
      emulator.faults.add({ ...lost, times: 2 });
      await newer(url, { retryConfig: quick }).keys.createKey(create);
    },
    async mended({ emulator, url }) {
      emulator.faults.add(lost);
      const { apis, keys } = newer(url);
      await keys.createKey(create).catch(async () => {
        const { data } = await apis
          .listKeys({ apiId: "api_one", externalId: "user_1" })
          .then(async (pages) => ("result" in pages ? pages.result : pages));
        if (data.length === 0) await keys.createKey(create);
      });
    },
  },
  {
    rule: "create-repeated",
    what: "a loop around a create",
    async wrong({ emulator, url }) {
      emulator.faults.add({ operation: "keys.createKey", status: 503, when: "after", times: 2 });
      for (let tries = 0; tries < 3; tries += 1) {
        if ((await call(url, "keys.createKey", create)).ok) break;
      }
    },
    async mended({ emulator, url }) {
      // The key was not made.
      emulator.faults.add({ operation: "keys.createKey", status: 503, times: 2 });
      for (let tries = 0; tries < 3; tries += 1) {
        if ((await call(url, "keys.createKey", create)).ok) break;
      }
    },
  },
  {
    rule: "create-repeated",
    what: "a loop around a create whose fault has a code alone",
    async wrong({ emulator, url }) {
      const code = "INTERNAL_SERVER_ERROR";
      emulator.faults.add({ operation: "keys.createKey", code, when: "after", times: 2 });
      for (let tries = 0; tries < 3; tries += 1) await call(url, "keys.createKey", create);
    },
    async mended({ emulator, url }) {
      // The code says that the client may not create keys, so it does not try again.
      emulator.faults.add({
        operation: "keys.createKey",
        code: "FORBIDDEN",
        when: "after",
        times: 1,
      });
      for (let tries = 0; tries < 2; tries += 1) await call(url, "keys.createKey", create);
    },
  },
  {
    rule: "refusal-repeated",
    what: "a client of v2 that asks again for a key that is gone",
    async wrong({ url }) {
      const { keys } = newer(url);
      for (let tries = 0; tries < 4; tries += 1) {
        await keys.getKey({ keyId: "key_gone" }).catch(() => {});
      }
    },
    async mended({ url }) {
      await newer(url)
        .keys.getKey({ keyId: "key_gone" })
        .catch(() => {});
    },
  },
  {
    rule: "refusal-repeated",
    what: "the client 0.19, which repeats refused calls by itself",
    wrong: ({ url }) => oldest(url, 4).keys.get({ keyId: "key_gone" }),
    mended: ({ url }) => oldest(url, 0).keys.get({ keyId: "key_gone" }),
  },
  {
    rule: "retried-too-soon",
    what: "a retry at once after a 429",
    async wrong({ emulator, url }) {
      emulator.faults.add({ ...busy, times: 3 });
      while ((await call(url, "keys.createKey", create)).status === 429);
    },
    async mended({ emulator, url }) {
      emulator.faults.add(busy);
      for (;;) {
        const { headers, status } = await call(url, "keys.createKey", create);
        if (status !== 429) break;
        await wait(Number(headers.get("retry-after")) * 1_000);
      }
    },
  },
  {
    rule: "retried-too-soon",
    what: "a retry at once after a 503 with a date",
    async wrong({ emulator, url }) {
      const until = new Date(Date.now() + 60_000).toUTCString();
      emulator.faults.add({ status: 503, headers: { "retry-after": until }, times: 1 });
      await get(url, "apis.listKeys", { apiId: "api_one" });
      await wait(100);
      await get(url, "apis.listKeys", { apiId: "api_one" });
    },
    async mended({ emulator, url }) {
      const until = new Date(Date.now() + 60_000).toUTCString();
      emulator.faults.add({ status: 503, headers: { "retry-after": until }, times: 1 });
      await get(url, "apis.listKeys", { apiId: "api_one" });
      emulator.clock.set(Date.now() + 61_000);
      await get(url, "apis.listKeys", { apiId: "api_one" });
    },
  },
  {
    rule: "cursor-of-another-list",
    what: "a cursor that is kept when the API changes",
    async wrong({ url }) {
      const { apis } = newer(url);
      let cursor: string | undefined;
      for (const apiId of ["api_many", "api_some"]) {
        const page = await apis.listKeys({ apiId, limit: 50, ...(cursor ? { cursor } : {}) });
        if ("result" in page) ({ cursor } = page.result.pagination ?? {});
      }
    },
    async mended({ url }) {
      const { apis } = newer(url);
      for (const apiId of ["api_many", "api_some"]) {
        for await (const page of await apis.listKeys({ apiId, limit: 50 })) void page;
      }
    },
  },
  {
    rule: "cursor-of-another-list",
    what: "a filter that is left out of the second page of v1",
    async wrong({ emulator, url }) {
      for (const name of ["a", "b", "c"])
        await emulator.keys.create({ apiId: "api_one", name, externalId: "user_1" });
      const list = { apiId: "api_one", limit: "1" };
      const first = await get(url, "apis.listKeys", { ...list, externalId: "user_1" });
      const { cursor } = await first.json();
      await get(url, "apis.listKeys", { ...list, cursor });
    },
    async mended({ emulator, url }) {
      for (const name of ["a", "b", "c"])
        await emulator.keys.create({ apiId: "api_one", name, externalId: "user_1" });
      const list = { apiId: "api_one", limit: "1", externalId: "user_1" };
      const { cursor } = await (await get(url, "apis.listKeys", list)).json();
      await get(url, "apis.listKeys", { ...list, cursor });
    },
  },
  {
    rule: "page-repeated",
    what: "a loop that never takes the next cursor",
    async wrong({ url }) {
      let cursor: string | undefined;
      for (let pages = 0; pages < 12; pages += 1) {
        const body: object = { apiId: "api_many", limit: 10, ...(cursor && { cursor }) };
        const { pagination } = await (await call(url, "apis.listKeys", body)).json();
        cursor ??= pagination.cursor;
      }
    },
    async mended({ url }) {
      let cursor: string | undefined;
      do {
        const body: object = { apiId: "api_many", limit: 10, ...(cursor && { cursor }) };
        const { pagination } = await (await call(url, "apis.listKeys", body)).json();
        ({ cursor } = pagination);
      } while (cursor !== undefined);
    },
  },
  {
    rule: "expires-in-seconds",
    what: "an expiry in seconds",
    wrong: ({ url }) =>
      newer(url).keys.createKey({ ...create, expires: Math.floor(Date.now() / 1_000) + 86_400 }),
    mended: ({ url }) => newer(url).keys.createKey({ ...create, expires: Date.now() + 86_400_000 }),
  },
  {
    rule: "secret-in-text",
    what: "the value of a key that is kept in the meta of it",
    async wrong({ url }) {
      const { keys } = newer(url);
      const { data } = await keys.createKey(create);
      await keys.updateKey({ keyId: data.keyId, meta: { shown: { value: data.key } } });
    },
    async mended({ url }) {
      const { keys } = newer(url);
      const { data } = await keys.createKey({ ...create, recoverable: true });
      await keys.updateKey({ keyId: data.keyId, meta: { shown: { id: data.keyId } } });
      await keys.getKey({ keyId: data.keyId, decrypt: true });
    },
  },
  {
    rule: "secret-in-text",
    what: "a root key in a name",
    wrong: ({ url }) => older(url).keys.create({ apiId: "api_one", name: `made with ${ROOT}` }),
    mended: ({ url }) => older(url).keys.create({ apiId: "api_one", name: "made with unkey_" }),
  },
  {
    rule: "secret-in-text",
    what: "a key's value as the identifier of a rate limit",
    async wrong({ url }) {
      const { key } = (await (await call(url, "keys.createKey", create)).json()).data;
      const limit = { namespace: "api", identifier: key, limit: 10, duration: 60_000 };
      await call(url, "ratelimit.limit", limit);
    },
    async mended({ url }) {
      const { keyId } = (await (await call(url, "keys.createKey", create)).json()).data;
      const limit = { namespace: "api", identifier: keyId, limit: 10, duration: 60_000 };
      await call(url, "ratelimit.limit", limit);
    },
  },
  {
    rule: "member-ignored",
    what: "a misspelt parameter of v1",
    wrong: ({ url }) => get(url, "apis.listKeys", { apiId: "api_one", externalID: "user_1" }),
    mended: ({ url }) => get(url, "apis.listKeys", { apiId: "api_one", externalId: "user_1" }),
  },
];

describe.each(reaches)("%s", (_way, reach) => {
  test.each(pairs.map((pair) => [pair.rule, pair.what, pair] as const))(
    "%s tells exactly %s",
    async (rule, _what, { wrong }) => {
      const reached = await reach(world);

      await wrong(reached);

      expect(reached.emulator.findings.list()).toEqual([
        {
          rule,
          requests: expect.any(Array),
          why: expect.stringMatching(/^\S.*[^.\s]$/),
          advice: expect.stringMatching(/^[A-Z].*\.$/),
        },
      ]);
      expectInJournal(reached.emulator);
      expect(JSON.stringify(reached.emulator.findings.list())).not.toContain(ROOT);
    },
  );

  test.each(pairs.map((pair) => [pair.rule, pair.what, pair] as const))(
    "%s does not tell the mended program: %s",
    async (_rule, _what, { mended }) => {
      const reached = await reach(world);

      await mended(reached);

      expect(reached.emulator.findings.list()).toEqual([]);
      expect(reached.emulator.requests.count()).toBeGreaterThan(0);
    },
  );
});

test("every rule has a program that it tells", () => {
  expect([...new Set(pairs.map(({ rule }) => rule))]).toEqual(ruleNames);
});

test("a finding grows while the mistake goes on", async () => {
  const [, [, reach]] = reaches as [unknown, (typeof reaches)[number]];
  const { emulator, url } = await reach(world);
  emulator.faults.add({ ...lost, times: 12 });

  for (let tries = 0; tries < 13; tries += 1) {
    await call(url, "keys.createKey", create).catch(() => {});
  }

  const [finding] = emulator.findings.list();
  expect(rulesOf(emulator)).toEqual(["create-repeated"]);
  expect(finding?.why).toContain("these calls made 13 keys");
  expect(finding?.requests).toHaveLength(13);
  expectInJournal(emulator);
});

test("a key that was wanted beside the one without a reply is not counted as repeated", async () => {
  const [, [, reach]] = reaches as [unknown, (typeof reaches)[number]];
  const { emulator, url } = await reach(world);
  emulator.faults.add(lost);

  const [first] = await Promise.allSettled([
    call(url, "keys.createKey", create),
    call(url, "keys.createKey", create),
  ]);
  expect(first.status).toBe("rejected");
  await call(url, "keys.createKey", create);

  const [finding] = emulator.findings.list();
  expect(emulator.keys.count({ apiId: "api_one" })).toBe(3);
  expect(finding?.why).toContain("these calls made 2 keys");
});

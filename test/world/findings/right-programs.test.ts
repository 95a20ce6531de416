import { describe, expect, test } from "vitest";
import { createEmulator } from "../../../src/index.ts";
import { overHttp, reaches } from "../../_reach.ts";
import { call, get, newer, older, page, rulesOf, world } from "./_programs.ts";
import type { Program } from "./_programs.ts";

const create = { apiId: "api_one", name: "CI deploy", externalId: "user_1" };

async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done += 1) await work();
}

async function readAll(url: string, body: object): Promise<number> {
  let count = 0;
  for (let cursor: string | undefined, hasMore = true; hasMore;) {
    const sent: object = { ...body, ...(cursor && { cursor }) };
    const { data, pagination } = await page(url, sent);
    count += data.length;
    ({ cursor, hasMore } = pagination);
  }
  return count;
}

/** Programs without a certain mistake. Many look like one. */
const programs: readonly (readonly [what: string, program: Program])[] = [
  [
    "reads 250 keys page by page, with the iterator of the client 2.5.1",
    async ({ url }) => {
      let count = 0;
      for await (const keys of await newer(url).apis.listKeys({ apiId: "api_many", limit: 20 })) {
        count += keys.result.data.length;
      }
      expect(count).toBe(250);
    },
  ],
  [
    "reads 250 keys page by page in v1",
    async ({ url }) => {
      let cursor: string | undefined;
      let count = 0;
      do {
        const query = { apiId: "api_many", limit: "10", ...(cursor && { cursor }) };
        const { keys, ...rest } = await (await get(url, "apis.listKeys", query)).json();
        count += keys.length;
        ({ cursor } = rest);
      } while (cursor);
      expect(count).toBe(250);
    },
  ],
  [
    "reads several lists at once",
    async ({ url }) => {
      const lists = ["api_many", "api_some", "api_many"];
      const reading = lists.map((apiId, index) => readAll(url, { apiId, limit: 20 + index }));
      expect(await Promise.all(reading)).toEqual([250, 101, 250]);
    },
  ],
  [
    "reads two lists whose pages begin with the same key, with the cursor of either",
    async ({ url }) => {
      await call(url, "keys.createKey", { apiId: "api_two" });
      await times(2, () => call(url, "keys.createKey", { apiId: "api_two", externalId: "user_1" }));
      const whole = { apiId: "api_two", limit: 2 };
      const ofOwner = { apiId: "api_two", externalId: "user_1", limit: 1 };
      const [one, other] = [await page(url, whole), await page(url, ofOwner)];
      expect(one.pagination.cursor).toBe(other.pagination.cursor);
      await page(url, { ...whole, cursor: other.pagination.cursor });
      await page(url, { ...ofOwner, cursor: one.pagination.cursor });
    },
  ],
  [
    "reads the first page of an owner in v1 by ownerId, and the second by externalId",
    async ({ url }) => {
      await times(2, () => call(url, "keys.createKey", create));
      const list = { apiId: "api_one", limit: "1" };
      const first = await get(url, "apis.listKeys", { ...list, ownerId: "user_1" });
      const { cursor } = await first.json();
      await get(url, "apis.listKeys", { ...list, externalId: "user_1", cursor });
    },
  ],
  [
    "limits by a day in seconds, and by the id of a key",
    async ({ url }) => {
      const { keyId } = (await (await call(url, "keys.createKey", create)).json()).data;
      const limit = { namespace: "n", identifier: keyId, limit: 1, duration: 86_400 };
      await call(url, "ratelimit.limit", limit);
    },
  ],
  [
    "makes keys that have expired, and one that never does",
    async ({ url }) => {
      const past = [1, 60_000, 1_000_000_000, Date.UTC(1971, 0, 1), Date.UTC(2021, 5, 16)];
      for (const expires of [...past, Date.now() - 86_400_000]) {
        await call(url, "keys.createKey", { ...create, expires });
      }
      await older(url).keys.create({ apiId: "api_one", expires: 0 });
    },
  ],
  [
    "stores ids, hashes, addresses and the start of a key",
    async ({ url }) => {
      const { data } = await newer(url).keys.createKey({ apiId: "api_one", recoverable: true });
      const meta = {
        keyId: data.keyId,
        start: data.key.slice(0, 8),
        session: "sess_2NxKqL9vJ3mP8RtWzB4dYcF6hA1",
        commit: "e5321e3a0b6c9d8f7a6b5c4d3e2f1a0b9c8d7e6f",
        order: crypto.randomUUID(),
        link: "https://example.com/users/user_2abcDEF3ghiJKL4mnoPQR5stu",
      };
      const externalId = "user_2abcDEF3ghiJKL4mnoPQR5stu";
      const name = "Deploys of main, build 20260101, made with unkey_";
      await newer(url).keys.createKey({ apiId: "api_one", name, externalId, meta });
      await newer(url).keys.getKey({ keyId: data.keyId, decrypt: true });
    },
  ],
  [
    "removes what another program stored wrongly",
    async ({ url }) => {
      const { key } = (await (await call(url, "keys.createKey", create)).json()).data;
      await page(url, { apiId: "api_one", externalId: key });
      await call(url, "identities.deleteIdentity", { identity: key });
      await call(url, "ratelimit.deleteOverride", { namespace: "n", identifier: key });
    },
  ],
  [
    "sends v1 a member that it does not know",
    ({ url }) => get(url, "apis.listKeys", { apiId: "api_one", externalID: "user_1" }),
  ],
];

describe.each(reaches)("%s", (_way, reach) => {
  test.each(programs)("a right program makes no finding: it %s", async (_what, program) => {
    const reached = await reach(world);

    await program(reached);

    expect(reached.emulator.findings.list()).toEqual([]);
    expect(reached.emulator.requests.count()).toBeGreaterThan(0);
  });
});

test("right programs make no finding, whatever runs at once behind one token", async () => {
  const reached = await overHttp(world);

  await Promise.all(programs.map(([, program]) => program(reached)));

  expect(reached.emulator.findings.list()).toEqual([]);
});

test("a token that is not listed may be a word that is in a name too", async () => {
  const emulator = await createEmulator({ isolate: true, log: () => {} });
  const token = "suite-2026-worker-1";
  const { status } = await emulator.fetch("http://emulator/v2/keys.createKey", {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ apiId: "api_local", name: `of ${token}` }),
  });

  expect(status).toBe(200);
  expect(rulesOf(emulator.workspace(token))).toEqual([]);
});

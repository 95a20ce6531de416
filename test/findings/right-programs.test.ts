import { describe, expect, test } from "vitest";
import { createEmulator } from "../../src/index.ts";
import { reaches } from "../_reach.ts";
import { call, get, newer, older, quick, ROOT, rulesOf, world, type Program } from "./_programs.ts";

const create = { apiId: "api_one", name: "CI deploy", externalId: "user_1" };
const wait = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

async function readAll(url: string, body: object): Promise<number> {
  let count = 0;
  for (let cursor: string | undefined, hasMore = true; hasMore;) {
    const sent: object = { ...body, ...(cursor && { cursor }) };
    const { data, pagination } = await (await call(url, "apis.listKeys", sent)).json();
    count += data.length;
    ({ cursor, hasMore } = pagination);
  }
  return count;
}

/** Programs without a mistake, some of which look like one. */
const programs: readonly (readonly [what: string, program: Program])[] = [
  [
    "reads 250 keys page by page, with the iterator of the client 2.5.1",
    async ({ url }) => {
      let count = 0;
      for await (const page of await newer(url).apis.listKeys({ apiId: "api_many", limit: 20 })) {
        count += page.result.data.length;
      }
      expect(count).toBe(250);
    },
  ],
  [
    "reads 250 keys page by page in v1, one key at a time",
    async ({ url }) => {
      let cursor: string | undefined;
      let count = 0;
      do {
        const query = { apiId: "api_many", limit: "10", ...(cursor && { cursor }) };
        const page = await (await get(url, "apis.listKeys", query)).json();
        count += page.keys.length;
        ({ cursor } = page);
      } while (cursor);
      expect(count).toBe(250);
    },
  ],
  [
    "reads several lists at once",
    async ({ url }) => {
      const lists = ["api_many", "api_some", "api_many", "api_one"];
      const counts = await Promise.all(
        lists.map((apiId, index) => readAll(url, { apiId, limit: 20 + index })),
      );
      expect(counts).toEqual([250, 101, 250, 0]);
    },
  ],
  [
    "reads the first page alone, twenty times",
    async ({ url }) => {
      for (let times = 0; times < 20; times += 1) {
        expect((await call(url, "apis.listKeys", { apiId: "api_many" })).status).toBe(200);
      }
    },
  ],
  [
    "reads the first page alone, twelve times, with an empty cursor",
    async ({ url }) => {
      for (let times = 0; times < 12; times += 1) {
        const list = { apiId: "api_many", cursor: "" };
        expect((await call(url, "apis.listKeys", list)).status).toBe(200);
      }
    },
  ],
  [
    "looks at the same page again after each of twelve keys is made",
    async ({ emulator, url }) => {
      const list = { apiId: "api_many", cursor: "key_" };
      for (let times = 0; times < 12; times += 1) {
        await emulator.keys.create({ apiId: "api_many" });
        expect((await call(url, "apis.listKeys", list)).status).toBe(200);
      }
    },
  ],
  [
    "reads the first page of an owner in v1 by ownerId, and the second by externalId",
    async ({ emulator, url }) => {
      for (const name of ["a", "b"]) {
        await emulator.keys.create({
          apiId: "api_one",
          name,
          externalId: "user_1",
          ownerId: "user_1",
        });
      }
      const list = { apiId: "api_one", limit: "1" };
      const first = await get(url, "apis.listKeys", { ...list, ownerId: "user_1" });
      const { cursor } = await first.json();
      const second = await get(url, "apis.listKeys", { ...list, externalId: "user_1", cursor });
      expect((await second.json()).keys).toHaveLength(1);
    },
  ],
  [
    "shows the second page to twelve visitors, who read the first one before",
    async ({ url }) => {
      for (let times = 0; times < 12; times += 1) {
        const { pagination } = await (
          await call(url, "apis.listKeys", { apiId: "api_many", limit: 5 })
        ).json();
        await call(url, "apis.listKeys", {
          apiId: "api_many",
          limit: 5,
          cursor: pagination.cursor,
        });
      }
    },
  ],
  [
    "asks for the same page twelve times at once",
    async ({ url }) => {
      const list = { apiId: "api_many", limit: 5 };
      const { cursor } = (await (await call(url, "apis.listKeys", list)).json()).pagination;
      const page = () => call(url, "apis.listKeys", { ...list, cursor });
      await Promise.all(Array.from({ length: 12 }, page));
    },
  ],
  ...(["drop", "truncate", "malformed"] as const).map((effect): readonly [string, Program] => [
    `asks for a page again until the effect ${effect} lets its reply through`,
    async ({ emulator, url }) => {
      const list = { apiId: "api_many", limit: 5 };
      const { cursor } = (await (await call(url, "apis.listKeys", list)).json()).pagination;
      emulator.faults.add({ operation: "apis.listKeys", effect, when: "after", times: 12 });
      let page: unknown;
      for (let times = 0; times < 13; times += 1) {
        const json = async () => (await call(url, "apis.listKeys", { ...list, cursor })).json();
        page = await json().catch(() => undefined);
      }
      expect(page).toHaveProperty("data.length", 5);
    },
  ]),
  [
    "reads two lists whose pages begin with the same key, with the cursor of either",
    async ({ emulator, url }) => {
      for (const name of ["a", "b", "c"]) {
        await emulator.keys.create({ apiId: "api_one", name, externalId: "user_1" });
      }
      const whole = { apiId: "api_one", limit: 1 };
      const owned = { ...whole, externalId: "user_1" };
      const page = async (body: object) => (await call(url, "apis.listKeys", body)).json();
      const [one, other] = [await page(whole), await page(owned)];
      expect(one.pagination.cursor).toBe(other.pagination.cursor);
      await page({ ...whole, cursor: other.pagination.cursor });
      await page({ ...owned, cursor: one.pagination.cursor });
    },
  ],
  [
    "creates two keys with one name on purpose",
    async ({ url }) => {
      const { keys } = newer(url);
      await keys.createKey(create);
      await keys.createKey(create);
    },
  ],
  [
    "creates two keys with one name at once, of which one gets no reply",
    async ({ emulator, url }) => {
      emulator.faults.add({ operation: "keys.createKey", status: 500, when: "after", times: 1 });
      await Promise.all([call(url, "keys.createKey", create), call(url, "keys.createKey", create)]);
    },
  ],
  [
    "lets the client 2.5.1 repeat a create that was not made",
    async ({ emulator, url }) => {
      emulator.faults.add({ operation: "keys.createKey", status: 503, times: 2 });
      await newer(url, { retryConfig: quick }).keys.createKey(create);
      expect(emulator.keys.count({ apiId: "api_one" })).toBe(1);
    },
  ],
  [
    "looks for the key before it sends a create again that got no reply",
    async ({ emulator, url }) => {
      emulator.faults.add({ operation: "keys.createKey", effect: "drop", when: "after", times: 1 });
      await call(url, "keys.createKey", create).catch(() => {});
      await call(url, "apis.listKeys", { apiId: "api_one", externalId: "user_1" });
      await call(url, "keys.createKey", create);
    },
  ],
  [
    "creates an equal key two minutes after one that got no reply",
    async ({ emulator, url }) => {
      emulator.faults.add({ operation: "keys.createKey", effect: "drop", when: "after", times: 1 });
      await call(url, "keys.createKey", create).catch(() => {});
      emulator.clock.advance("2m");
      await call(url, "keys.createKey", create);
    },
  ],
  [
    "deletes the key of a create that got no reply before it creates another",
    async ({ emulator, url }) => {
      emulator.faults.add({ operation: "keys.createKey", effect: "drop", when: "after", times: 1 });
      await call(url, "keys.createKey", create).catch(() => {});
      const [made] = emulator.keys.all().filter(({ apiId }) => apiId === "api_one");
      await call(url, "keys.deleteKey", { keyId: made?.id });
      await call(url, "keys.createKey", create);
    },
  ],
  [
    "sends another create after one that got no reply",
    async ({ emulator, url }) => {
      emulator.faults.add({ operation: "keys.createKey", effect: "drop", when: "after", times: 1 });
      await call(url, "keys.createKey", create).catch(() => {});
      await call(url, "keys.createKey", { ...create, name: "another" });
    },
  ],
  [
    "verifies a key again and again until it is enabled",
    async ({ url }) => {
      const { keys } = newer(url);
      const { data } = await keys.createKey({ ...create, enabled: false });
      for (let times = 0; times < 20; times += 1) await keys.verifyKey({ key: data.key });
      await keys.updateKey({ keyId: data.keyId, enabled: true });
      expect((await keys.verifyKey({ key: data.key })).data.code).toBe("VALID");
    },
  ],
  [
    "asks for a key that is not there yet, with pauses by the emulator's clock",
    async ({ emulator, url }) => {
      for (let tries = 0; tries < 6; tries += 1) {
        await call(url, "keys.getKey", { keyId: "key_late" });
        emulator.clock.advance("600ms");
      }
    },
  ],
  [
    "sends the same refused call three times at once",
    async ({ url }) => {
      const statuses = await Promise.all(
        [1, 2, 3].map(async () => (await call(url, "keys.getKey", { keyId: "key_gone" })).status),
      );
      expect(statuses).toEqual([404, 404, 404]);
    },
  ],
  [
    "sends a refused call again after it made what was missing",
    async ({ emulator, url }) => {
      const { id: keyId } = await emulator.keys.create({ apiId: "api_one" });
      const add = () => call(url, "keys.addRoles", { keyId, roles: ["a", "b", "c"] });
      for (const name of ["a", "b", "c"]) {
        expect((await add()).status).toBe(404);
        await call(url, "permissions.createRole", { name });
      }
      expect((await add()).status).toBe(200);
    },
  ],
  [
    "sends a refused body as other content types",
    async ({ url }) => {
      for (const type of ["text/plain", "text/html", "application/xml", "text/csv"]) {
        const headers = { Authorization: `Bearer ${ROOT}`, "Content-Type": type };
        const body = JSON.stringify({ keyId: "key_gone" });
        const { status } = await fetch(`${url}/v2/keys.getKey`, { method: "POST", headers, body });
        expect(status).toBe(400);
      }
    },
  ],
  [
    "meets a refusal in each of three tests, which add a fault for it",
    async ({ emulator, url }) => {
      for (let tests = 0; tests < 3; tests += 1) {
        emulator.faults.add({ status: 403, times: 1 });
        expect((await call(url, "keys.createKey", create)).status).toBe(403);
      }
    },
  ],
  [
    "adds uses until the key can be used a number of times",
    async ({ url }) => {
      const { keyId } = (await (await call(url, "keys.createKey", create)).json()).data;
      const add = () =>
        call(url, "keys.updateCredits", { keyId, operation: "increment", value: 1 });
      for (const name of ["a", "b", "c"]) {
        expect((await add()).status).toBe(400);
        await call(url, "keys.updateKey", { keyId, name });
      }
      await call(url, "keys.updateKey", { keyId, credits: { remaining: 0 } });
      expect((await add()).status).toBe(200);
    },
  ],
  [
    "corrects a refused call",
    async ({ url }) => {
      for (const limit of [300, 200, 101, 100]) {
        await call(url, "apis.listKeys", { apiId: "api_many", limit });
      }
    },
  ],
  [
    "waits as long as a 429 asks for",
    async ({ emulator, url }) => {
      emulator.faults.add({ status: 429, headers: { "Retry-After": "1" }, times: 1 });
      await call(url, "keys.createKey", create);
      await wait(1_000);
      expect((await call(url, "keys.createKey", create)).status).toBe(200);
    },
  ],
  [
    "waits by the emulator's clock for as long as a 429 asks for",
    async ({ emulator, url }) => {
      emulator.faults.add({ status: 429, headers: { "Retry-After": "30" }, times: 1 });
      await call(url, "keys.createKey", create);
      emulator.clock.advance("30s");
      expect((await call(url, "keys.createKey", create)).status).toBe(200);
    },
  ],
  [
    "makes other calls while it waits after a 429",
    async ({ emulator, url }) => {
      emulator.faults.add({ status: 429, headers: { "Retry-After": "30" }, times: 1 });
      await call(url, "keys.createKey", create);
      await call(url, "apis.listKeys", { apiId: "api_one" });
    },
  ],
  [
    "calls at once after the fault that answered 429 was removed",
    async ({ emulator, url }) => {
      emulator.faults.add({ status: 429, headers: { "Retry-After": "30" } });
      await call(url, "keys.createKey", create);
      emulator.faults.clear();
      expect((await call(url, "keys.createKey", create)).status).toBe(200);
    },
  ],
  [
    "repeats a call after a 429 without Retry-After",
    async ({ emulator, url }) => {
      emulator.faults.add({ status: 429, times: 5 });
      while ((await call(url, "keys.createKey", create)).status === 429);
    },
  ],
  [
    "makes a key that has expired, and one that never does",
    async ({ url }) => {
      await call(url, "keys.createKey", { ...create, expires: Date.now() - 86_400_000 });
      await older(url).keys.create({ apiId: "api_one", expires: 0 });
      await older(url).keys.create({ apiId: "api_one", expires: 1 });
      await older(url).keys.create({ apiId: "api_one", expires: Date.UTC(1971, 0, 1) });
    },
  ],
  [
    "stores ids, hashes and addresses",
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
      await newer(url).keys.createKey({
        apiId: "api_one",
        name: "Deploys of main, build 20260101",
        externalId: "user_2abcDEF3ghiJKL4mnoPQR5stu",
        meta,
      });
    },
  ],
  [
    "sends members that v2 knows and v1 does not, to v2",
    ({ url }) =>
      call(url, "keys.createKey", { ...create, credits: { remaining: 5 }, ratelimits: [] }),
  ],
];

describe.each(reaches)("%s", (_way, reach) => {
  test.each(programs)("a program makes no finding if it %s", async (_what, program) => {
    const reached = await reach(world);

    await program(reached);

    expect(reached.emulator.findings.list()).toEqual([]);
    expect(reached.emulator.requests.count()).toBeGreaterThan(0);
  });
});

test("times near the beginning of 1970 are no seconds if the clock stands there", async () => {
  const emulator = await createEmulator({ now: 0, log: () => {} });
  const { fetch } = emulator;
  const headers = { Authorization: `Bearer ${ROOT}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ apiId: "api_local", expires: 60_000 });

  await fetch("http://emulator/v2/keys.createKey", { method: "POST", headers, body });

  expect(rulesOf(emulator)).toEqual([]);
});

test("a token that is not listed may be a word that is in a name too", async () => {
  const emulator = await createEmulator({ isolate: true, log: () => {} });
  const headers = {
    Authorization: "Bearer suite-2026-worker-1",
    "Content-Type": "application/json",
  };
  const body = JSON.stringify({ apiId: "api_local", name: "of suite-2026-worker-1" });

  const { status } = await emulator.fetch("http://emulator/v2/keys.createKey", {
    method: "POST",
    headers,
    body,
  });

  expect(status).toBe(200);
  expect(emulator.workspace("suite-2026-worker-1").findings.list()).toEqual([]);
});

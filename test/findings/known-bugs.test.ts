import { expect, test } from "vitest";
import { Unkey as Unkey235 } from "unkey-api-2.3.5";
import { reaches } from "../_reach.ts";
import { call, newer, ROOT, rulesOf, world, type Program } from "./_programs.ts";

const [, [, throughMsw]] = reaches as [unknown, (typeof reaches)[number]];
const ignore = () => {};

/** Bugs that programs in public had, rebuilt, and the rules that tell them. */
const bugs: readonly (readonly [bug: string, rules: readonly string[], program: Program])[] = [
  [
    "a loop over pages keeps its cursor, because the client 2.3.5 answers in another shape",
    ["page-repeated"],
    async ({ url }) => {
      const unkey = new Unkey235({ rootKey: ROOT, serverURL: url });
      const first = await call(url, "apis.listKeys", { apiId: "api_many", limit: 10 });
      let { cursor } = (await first.json()).pagination;
      for (let pages = 0; pages < 12 && cursor !== undefined; pages += 1) {
        const page: object = await unkey.apis.listKeys({ apiId: "api_many", limit: 10, cursor });
        const { pagination } = page as { pagination?: { cursor?: string } };
        cursor = pagination?.cursor ?? cursor;
      }
    },
  ],
  [
    "limit: 200 is refused, and an empty list is shown at each of three paints",
    ["refusal-repeated"],
    async ({ url }) => {
      for (let paints = 0; paints < 3; paints += 1) {
        await call(url, "apis.listKeys", { apiId: "api_many", limit: 200 });
      }
    },
  ],
  [
    "ownerId is sent to v2 for each of three keys",
    ["refusal-repeated"],
    async ({ url }) => {
      for (let tries = 0; tries < 3; tries += 1) {
        await call(url, "keys.createKey", { apiId: "api_one", ownerId: "user_1" });
      }
    },
  ],
  [
    "one create becomes several keys, because the client 2.5.1 sends it again",
    ["create-repeated"],
    async ({ emulator, url }) => {
      emulator.faults.add({ operation: "keys.createKey", status: 500, when: "after", times: 3 });
      const retryConfig = {
        strategy: "backoff",
        backoff: { initialInterval: 5, maxInterval: 5, exponent: 1, maxElapsedTime: 1_000 },
      } as const;
      await newer(url, { retryConfig }).keys.createKey({ apiId: "api_one", name: "CI" });
      expect(emulator.keys.count({ apiId: "api_one" })).toBe(4);
      expect(emulator.findings.list()[0]?.why).toContain("these calls made 4 keys");
    },
  ],
  [
    "a 429 is not recognised, and the call is repeated at once",
    ["retried-too-soon"],
    async ({ emulator, url }) => {
      emulator.faults.add({ status: 429, headers: { "Retry-After": "5" }, times: 2 });
      const { keys } = newer(url);
      const create = () => keys.createKey({ apiId: "api_one" });
      await create().catch(create).catch(create);
    },
  ],
  [
    "a path that does not exist is called three times",
    ["refusal-repeated"],
    async ({ url }) => {
      for (let tries = 0; tries < 3; tries += 1) await call(url, "keys.listKeys", {});
    },
  ],
  [
    "an identity is never found, because getIdentity wants another member, and so is made each time",
    ["refusal-repeated"],
    async ({ url }) => {
      const identity = { externalId: "user_1" };
      for (let logins = 0; logins < 3; logins += 1) {
        const { ok } = await call(url, "identities.getIdentity", identity);
        if (!ok) await call(url, "identities.createIdentity", identity);
      }
    },
  ],
  [
    "expires is in seconds",
    ["expires-in-seconds"],
    ({ url }) => call(url, "keys.createKey", { apiId: "api_one", expires: 1_790_000_000 }),
  ],
  [
    "the value of a key is kept in its meta",
    ["secret-in-text"],
    async ({ url }) => {
      const { keys } = newer(url);
      const { data } = await keys.createKey({ apiId: "api_one" });
      await keys.updateKey({ keyId: data.keyId, meta: { key: data.key } });
    },
  ],
  // What no call shows for certain.
  [
    "only the first page is ever read, because the cursor is looked for at the wrong place",
    [],
    ({ url }) => call(url, "apis.listKeys", { apiId: "api_many" }),
  ],
  [
    "an address as external id is refused once, and the error is swallowed",
    [],
    ({ url }) =>
      call(url, "keys.createKey", { apiId: "api_one", externalId: "a@b.c" }).catch(ignore),
  ],
  [
    "a day is given in seconds as the duration of a rate limit, which is valid",
    [],
    ({ url }) =>
      call(url, "ratelimit.limit", { namespace: "n", identifier: "u", limit: 1, duration: 86_400 }),
  ],
];

test.each(bugs)("a bug of public code: %s: is told by %j", async (_bug, rules, program) => {
  const reached = await throughMsw(world);

  await program(reached);

  expect(rulesOf(reached.emulator)).toEqual(rules);
});

import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type * as z from "zod/mini";
import { ruleNames } from "../../../src/world/findings/rules.ts";
import { unwrap } from "../../../src/schema/fields.ts";
import { createKey, givenEmulator } from "../../_emulator.ts";
import { overHttp, reaches } from "../../_reach.ts";
import { givenMigrations, hex, migrated } from "../../service/_migrations.ts";
import { call, get, newer, older, page, ROOT, rulesOf, world, type Program } from "./_programs.ts";

const SECONDS = 1_790_000_000;
const create = { apiId: "api_one", name: "CI deploy", externalId: "user_1" };

async function givenKey(url: string) {
  const { data } = await (await call(url, "keys.createKey", create)).json();
  return data as Readonly<Record<"key" | "keyId", string>>;
}

const wrong: readonly (readonly [what: string, rule: string, program: Program])[] = [
  [
    "a cursor is kept when the API changes",
    "cursor-of-another-list",
    async ({ url }) => {
      const { cursor } = (await page(url, { apiId: "api_many" })).pagination;
      await page(url, { apiId: "api_some", cursor });
    },
  ],
  [
    "a filter is left out of the second page",
    "cursor-of-another-list",
    async ({ url }) => {
      for (let keys = 0; keys < 3; keys += 1) await call(url, "keys.createKey", create);
      const list = { apiId: "api_one", limit: 1 };
      const { cursor } = (await page(url, { ...list, externalId: "user_1" })).pagination;
      await page(url, { ...list, cursor });
    },
  ],
  [
    "a filter is left out of the second page of v1",
    "cursor-of-another-list",
    async ({ url }) => {
      for (let keys = 0; keys < 3; keys += 1) await call(url, "keys.createKey", create);
      const list = { apiId: "api_one", limit: "1" };
      const first = await get(url, "apis.listKeys", { ...list, externalId: "user_1" });
      await get(url, "apis.listKeys", { ...list, cursor: (await first.json()).cursor });
    },
  ],
  [
    "another process sends the cursor to another list",
    "cursor-of-another-list",
    async ({ url }) => {
      const { cursor } = (await page(url, { apiId: "api_many" })).pagination;
      const list = { apiId: "api_some", cursor };
      await call(url, "apis.listKeys", list, "unkey_of_another_process");
    },
  ],
  [
    "a new key expires tomorrow in seconds",
    "expires-in-seconds",
    ({ url }) =>
      newer(url).keys.createKey({ ...create, expires: Math.floor(Date.now() / 1_000) + 86_400 }),
  ],
  [
    "a key is changed to expire in seconds",
    "expires-in-seconds",
    async ({ url }) => {
      const { keyId } = await givenKey(url);
      await call(url, "keys.updateKey", { keyId, expires: SECONDS });
    },
  ],
  [
    "the value of a key is kept in its meta",
    "secret-in-text",
    async ({ url }) => {
      const { key, keyId } = await givenKey(url);
      await call(url, "keys.updateKey", { keyId, meta: { shown: [{ value: key }] } });
    },
  ],
  [
    "the value of a key is the name of a member of meta",
    "secret-in-text",
    async ({ url }) => {
      const { key, keyId } = await givenKey(url);
      await call(url, "keys.updateKey", { keyId, meta: { [key]: true } });
    },
  ],
  [
    "a root key is in a name",
    "secret-in-text",
    ({ url }) => older(url).keys.create({ apiId: "api_one", name: `made with ${ROOT}` }),
  ],
  [
    "the value of a key is the identifier of a rate limit",
    "secret-in-text",
    async ({ emulator, url }) => {
      const { key: identifier } = await givenKey(url);
      const limit = { namespace: "api", identifier, limit: 10, duration: 60_000 };
      await call(url, "ratelimit.limit", limit);
      // It stores no key.
      expect(emulator.findings.list()[0]?.advice).toMatch(/^Limit by the keyId/);
    },
  ],
];

describe.each(reaches)("%s", (_way, reach) => {
  test.each(wrong)("reports exactly this mistake: %s", async (_what, rule, program) => {
    const reached = await reach(world);

    await program(reached);

    const { findings, requests } = reached.emulator;
    expect(findings.list()).toEqual([
      {
        rule,
        requests: expect.any(Array),
        why: expect.stringMatching(/^\S.*[^.\s]$/),
        advice: expect.stringMatching(/^[A-Z].*\.$/),
      },
    ]);
    expect(JSON.stringify(findings.list())).not.toContain(ROOT);
    const all = requests.list().map(({ requestId }) => requestId);
    const [{ requests: shown = [] } = {}] = findings.list();
    expect(all.filter((id) => shown.includes(id))).toEqual(shown);
  });
});

test("mistakes are reported whatever runs at once", async () => {
  const reached = await overHttp(world);
  // All but the last, which looks at the first finding.
  const together = wrong.slice(0, -1);

  await Promise.all(together.map(([, , program]) => program(reached)));

  const told = new Set(rulesOf(reached.emulator));
  expect(told).toEqual(new Set(ruleNames));
});

test("an expiry in seconds is found in any key of a migration", async () => {
  const emulator = await givenMigrations();

  await migrated(emulator, [{ hash: hex("one") }, { hash: hex("two"), expires: SECONDS }]);

  expect(rulesOf(emulator)).toEqual(["expires-in-seconds"]);
});

/** Whether an input has this member, itself or in the items of a list. */
function takes(schema: z.core.$ZodType, member: string): boolean {
  const { def } = unwrap(schema)._zod as z.core.$ZodTypes["_zod"];
  if (def.type === "array") return takes(def.element, member);
  if (def.type !== "object") return false;
  return member in def.shape || Object.values(def.shape).some((each) => takes(each, member));
}

test.each([
  [
    "expires",
    ["v1/keys.createKey", "v1/keys.updateKey"],
    ["keys.createKey", "keys.migrateKeys", "keys.updateKey"],
  ],
  [
    "cursor",
    ["v1/apis.listKeys"],
    [
      "apis.listKeys",
      "identities.listIdentities",
      "permissions.listPermissions",
      "permissions.listRoles",
      "ratelimit.listOverrides",
    ],
  ],
])("no operation but those that a rule looks at takes %s", async (member, ofV1, ofV2) => {
  const emulator = await givenEmulator();

  const taking = emulator.operations
    .filter(({ contract }) => takes(contract.input as z.core.$ZodType, member))
    .map(({ contract: { name, version } }) => (version === "v1" ? `v1/${name}` : name));

  expect(taking.toSorted()).toEqual([...ofV1, ...ofV2].toSorted());
});

test("times near the beginning of 1970 are no seconds if the clock stands there", async () => {
  const emulator = await givenEmulator({ now: 0 });

  await createKey(emulator, { apiId: "api_one", expires: SECONDS });

  expect(rulesOf(emulator)).toEqual([]);
});

const text = await readFile("docs/what-it-tells.md", "utf8");
const sections = text.split(/^## /m).slice(1);
const [, [, throughMsw]] = reaches as [unknown, (typeof reaches)[number]];

const programs = sections.map((section) => {
  const [rule = ""] = section.split("\n", 1);
  const [mistake = "", mended = ""] = Array.from(
    section.matchAll(/^```js\n(.*?)^```$/gms),
    ([, code = ""]) => code,
  );
  return [rule, mistake, mended] as const;
});

/** Runs the code of a block of the page, with the names that the page explains. */
async function rulesAfter(code: string): Promise<string[]> {
  const { emulator, url } = await throughMsw(world);
  const program = `export default async ({ emulator, unkey }) => {\n${code}\n};`;
  const module = await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(program)}`
  );
  await module.default({
    emulator,
    unkey: newer(url),
  });
  expect(emulator.requests.count()).toBeGreaterThan(0);
  return rulesOf(emulator);
}

test("the page has a section for every rule", () => {
  expect(programs.map(([rule]) => rule)).toEqual(ruleNames);
});

test.each(programs)(
  "the first program of the page for %s makes the mistake",
  async (rule, code) => {
    expect(code).toMatch(/^\/\/ The mistake: /);
    expect(await rulesAfter(code)).toEqual([rule]);
  },
);

test.each(programs)(
  "the second program of the page for %s makes no mistake",
  async (_, __, code) => {
    expect(code).toMatch(/^\/\/ Fixed[.:]/);
    expect(await rulesAfter(code)).toEqual([]);
  },
);

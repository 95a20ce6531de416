import { describe, expect, test } from "vitest";
import { givenEmulator, type Answer, type Door } from "../_emulator.ts";
import { expectRefusal } from "../_v2.ts";
import { DAY, MINUTE, ratelimit, use, worlds } from "./_limits.ts";

const operations = ["setOverride", "getOverride", "listOverrides", "deleteOverride"] as const;
type Name = (typeof operations)[number];
type Call = readonly [operation: Name | "limit", body: object, token?: string];

const values = { limit: 5, duration: MINUTE };
const set = (identifier: string, members: object = {}, token?: string): Call =>
  [
    "setOverride",
    { namespace: "email", identifier, ...values, ...members },
    ...(token === undefined ? [] : [token]),
  ] as unknown as Call;
const get = (identifier: string, namespace = "email"): Call => [
  "getOverride",
  { namespace, identifier },
];
const list = (members: object = {}): Call => ["listOverrides", { namespace: "email", ...members }];
const remove = (identifier: string, namespace = "email"): Call => [
  "deleteOverride",
  { namespace, identifier },
];
const limit = (identifier: string): Call => ["limit", { ...use, identifier }];

async function answerTo(door: Door, calls: readonly Call[]): Promise<Answer> {
  let answer: Answer | undefined;
  for (const [operation, body, token = "root"] of calls) {
    answer = await ratelimit(door, operation, body, { token });
  }
  return answer as Answer;
}

const vip = { duration: 2 * MINUTE, identifier: "vip", limit: 200, overrideId: "rlor_vip" };
const trial = { duration: MINUTE, identifier: "trial_*", limit: 3, overrideId: "rlor_trial" };
const banned = { duration: MINUTE, identifier: "banned", limit: 0, overrideId: "rlor_banned" };
const made = { overrideId: expect.stringMatching(/^rlor_/) };

test.each<[title: string, calls: readonly Call[], data: object]>([
  ["setOverride by the name of a namespace", [set("new")], made],
  ["setOverride by its id", [set("new", { namespace: "rlns_email" })], made],
  ["setOverride with a `*`", [set("new_*")], made],
  ["setOverride of an identifier that has one", [set("vip")], { overrideId: "rlor_vip" }],
  ["setOverride with a limit of 0", [set("new", { limit: 0 })], made],
  ["setOverride with a duration of 60 days", [set("new", { duration: 60 * DAY })], made],
  ["getOverride by the name of a namespace", [get("vip")], vip],
  ["getOverride by its id", [get("vip", "rlns_email")], vip],
  ["getOverride of an identifier that a `*` matches", [get("trial_7")], trial],
  ["getOverride of the pattern itself", [get("trial_*")], trial],
  ["getOverride after setOverride", [set("vip"), get("vip")], { ...vip, ...values }],
  ["listOverrides by the name of a namespace", [list()], [banned, trial, vip]],
  ["listOverrides by its id", [list({ namespace: "rlns_email" })], [banned, trial, vip]],
  ["listOverrides of a namespace without any", [list({ namespace: "sms" })], []],
  ["listOverrides after one was deleted", [remove("trial_*"), list()], [banned, vip]],
  [
    "listOverrides of a deleted namespace",
    [list({ namespace: "gone" })],
    [{ ...vip, duration: MINUTE, limit: 1, overrideId: "rlor_gone" }],
  ],
  ["listOverrides from an id on that none has", [list({ cursor: "rlor_c" })], [trial, vip]],
  ["listOverrides behind the last one", [list({ cursor: "zzz" })], []],
  ["deleteOverride by the name of a namespace", [remove("vip")], {}],
  ["deleteOverride by its id", [remove("vip", "rlns_email")], {}],
  ["deleteOverride of a pattern", [remove("trial_*")], {}],
])("ratelimit.%s answers 200", async (_, calls, data) => {
  const emulator = await givenEmulator({ fixtures: worlds });

  const { body, status } = await answerTo(emulator, calls);

  expect(status).toBe(200);
  expect(body.data).toEqual(data);
  const isList = calls.at(-1)?.[0] === "listOverrides";
  expect(body.pagination).toEqual(isList ? { hasMore: false } : undefined);
});

test("ratelimit.getOverride sends the members in the order of the service", async () => {
  const emulator = await givenEmulator({ fixtures: worlds });

  const { body } = await answerTo(emulator, [get("vip")]);

  expect(JSON.stringify(body.data)).toBe(JSON.stringify(vip));
});

describe("ratelimit.limit", () => {
  test.each<[title: string, calls: readonly Call[], data: object]>([
    [
      "the exact override beside an older one with a `*`",
      [set("trial_7"), limit("trial_7")],
      { limit: 5 },
    ],
    ["the oldest of several with a `*`", [set("trial*"), limit("trial_7")], { limit: 3 }],
    ["an override `a*` for the identifier `a*`", [set("a*"), limit("a*")], { limit: 5 }],
    ["an identifier in another case", [set("User_1"), limit("user_1")], { limit: 10 }],
    ["signs of regular expressions as they are", [set("a.c*"), limit("abc")], { limit: 10 }],
  ])("applies %s", async (_, calls, data) => {
    const emulator = await givenEmulator({ fixtures: worlds });

    expect((await answerTo(emulator, calls)).body.data).toMatchObject(data);
  });
});

test("a deleted override that is set again has a new id, and is the youngest", async () => {
  const emulator = await givenEmulator({ fixtures: worlds });

  const { body } = await answerTo(emulator, [remove("trial_*"), set("trial_*")]);

  expect(body.data.overrideId).not.toBe("rlor_trial");
  const { overrides } = emulator.ratelimitNamespaces.named("email") ?? {};
  expect(overrides?.map(({ id }) => id)).toEqual(["rlor_vip", "rlor_banned", body.data.overrideId]);
});

describe("ratelimit.listOverrides", () => {
  async function givenSixty() {
    const emulator = await givenEmulator({ fixtures: worlds });
    for (let index = 0; index < 60; index += 1) {
      await answerTo(emulator, [set(`user_${index}`, { namespace: "sms" })]);
    }
    return emulator;
  }

  test("answers 50 at most without a limit, and the rest by the cursor", async () => {
    const emulator = await givenSixty();

    const first = (await answerTo(emulator, [list({ namespace: "sms" })])).body;
    const { cursor } = first.pagination;
    const second = (await answerTo(emulator, [list({ namespace: "sms", cursor })])).body;

    expect(first.pagination).toEqual({ cursor: second.data[0].overrideId, hasMore: true });
    expect(second.pagination).toEqual({ hasMore: false });
    const identifiers = [...first.data, ...second.data].map(({ identifier }) => identifier);
    expect(identifiers).toEqual(Array.from({ length: 60 }, (_, index) => `user_${index}`));
    expect(first.data).toHaveLength(50);
  });

  test("has no cursor if the limit takes all of them", async () => {
    const emulator = await givenSixty();

    const { body } = await answerTo(emulator, [list({ namespace: "sms", limit: 60 })]);

    expect(body.data).toHaveLength(60);
    expect(body.pagination).toEqual({ hasMore: false });
  });
});

const noNamespace = {
  status: 404,
  type: "unkey/data/ratelimit_namespace_not_found",
  detail: "This namespace does not exist.",
} as const;
const noOverride = {
  status: 404,
  type: "unkey/data/ratelimit_override_not_found",
  detail: "This override does not exist.",
} as const;

/** A valid body of each operation. */
const bodies: Readonly<Record<Name, object>> = {
  setOverride: { namespace: "email", identifier: "vip", ...values },
  getOverride: { namespace: "email", identifier: "vip" },
  listOverrides: { namespace: "email" },
  deleteOverride: { namespace: "email", identifier: "vip" },
};

type Refusal = Parameters<typeof expectRefusal>[1];
const refused: [operation: Name, members: object, token: string, refusal: Refusal][] = [
  ...operations.flatMap((operation): typeof refused => [
    [operation, { namespace: "rlns_nope" }, "root", noNamespace],
    [operation, { namespace: "Email" }, "root", noNamespace],
    [operation, { namespace: "other" }, "root", noNamespace],
  ]),
  ["getOverride", { identifier: "nobody" }, "root", noOverride],
  ["deleteOverride", { identifier: "nobody" }, "root", noOverride],
  ["deleteOverride", { identifier: "trial_7" }, "root", noOverride],
];

test.each(refused)(
  "ratelimit.%s refuses a call, and says why: row %#",
  async (operation, members, token, refusal) => {
    const emulator = await givenEmulator({ fixtures: worlds });
    const before = JSON.stringify(emulator.snapshot().ratelimitNamespaces);

    const body = { ...bodies[operation], ...members };
    expectRefusal(await answerTo(emulator, [[operation, body, token]]), refusal);

    expect(JSON.stringify(emulator.snapshot().ratelimitNamespaces)).toBe(before);
  },
);

test.each([
  ["getOverride", [remove("vip"), get("vip")]],
  ["deleteOverride", [remove("vip"), remove("vip")]],
] as const)("ratelimit.%s refuses an override that was deleted", async (_, calls) => {
  const emulator = await givenEmulator({ fixtures: worlds });

  expectRefusal(await answerTo(emulator, calls), noOverride);
});

test("the hint about an unknown namespace lists some only for a token that may do it in all of them", async () => {
  const emulator = await givenEmulator({ fixtures: worlds });
  const hintFor = async (token: string) =>
    (await answerTo(emulator, [["listOverrides", { namespace: "nope" }, token]])).headers.get(
      "x-latchkey-hint",
    );

  expect(await hintFor("read_override")).toBe(
    'no namespace has the name or id "nope"; the namespaces here are email, gone, sms',
  );
  expect(await hintFor("email")).toBe('no namespace has the name or id "nope"');
});

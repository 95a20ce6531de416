import { describe, expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { givenEmulator, post, type Answer, type CallOptions } from "../_emulator.ts";
import { acceptingAll, type Refusal } from "../_v2.ts";
import { invalidInput } from "./_keys.ts";
import { expectNothingLeft, insufficient as forbidden } from "./_refusals.ts";

const calls = { name: "calls", limit: 5, duration: 60_000, autoApply: true };
const jobs = { name: "jobs", limit: 9, duration: 1_000, autoApply: false };

/** Each list is the permissions of a token: `limited_0`, `limited_1` and so on. */
const world = (...limited: string[][]): Fixture[] => [
  {
    workspace: { id: "ws_test" },
    tokens: [
      { token: "any_token", permissions: ["*"] },
      ...limited.map((permissions, index) => ({ token: `limited_${index}`, permissions })),
    ],
    apis: [{ id: "api_one" }],
    identities: [
      { id: "id_ann", externalId: "ann", meta: { plan: "pro" }, ratelimits: [calls, jobs] },
      { id: "id_bob", externalId: "bob" },
      // Its external id is the id of another identity.
      { id: "id_cy", externalId: "id_ann" },
    ],
    keys: [{ id: "key_ann", apiId: "api_one", key: "value_ann", externalId: "ann" }],
  },
  {
    workspace: { id: "ws_other" },
    tokens: [{ token: "other_token", permissions: ["*"] }],
    identities: [{ id: "id_other", externalId: "other" }],
  },
];

const givenWorld = (...limited: string[][]) => givenEmulator({ fixtures: world(...limited) });

const call = (emulator: Emulator, name: string, input: object, options?: CallOptions) =>
  post(emulator, `/v2/identities.${name}`, input, acceptingAll(options));

/** Expects a 200 with exactly this body, with its members in this order. */
function expectBody({ body, status }: Answer, members: object): void {
  expect([status, JSON.stringify(body)]).toEqual([
    200,
    JSON.stringify({ ...members, meta: body.meta }),
  ]);
}

const missing: Refusal = {
  status: 404,
  type: "unkey/data/identity_not_found",
  detail: "This identity does not exist.",
};

const taken = (externalId: string): Refusal => ({
  status: 409,
  type: "unkey/data/identity_already_exists",
  detail: `Identity with externalId '${externalId}' already exists in this workspace.`,
});

describe("identities.createIdentity", () => {
  test.each([
    [
      "nested and mixed meta",
      { externalId: "dan", meta: { a: { b: [1, null, "<&>"] }, c: true } },
      { meta: { a: { b: [1, null, "<&>"] }, c: true } },
    ],
    ["empty meta and no limits", { externalId: "dan", meta: {}, ratelimits: [] }, {}],
    ["two limits", { externalId: "dan", ratelimits: [calls, jobs] }, { ratelimits: [calls, jobs] }],
    [
      "unknown members, which are ignored",
      { externalId: "dan", foo: 1, ratelimits: [{ ...calls, foo: 1 }] },
      { ratelimits: [calls] },
    ],
    [
      "a doubled name, of which the last limit is used",
      { externalId: "dan", ratelimits: [calls, jobs, { ...calls, limit: 77 }] },
      { ratelimits: [{ ...calls, limit: 77 }, jobs] },
    ],
    [
      "meta of exactly 1 MiB",
      { externalId: "dan", meta: { a: "x".repeat(1_048_576 - 8) } },
      { meta: { a: "x".repeat(1_048_576 - 8) } },
    ],
  ])("creates one with %s", async (_, input, stored) => {
    const emulator = await givenWorld();

    const created = await call(emulator, "createIdentity", input);

    const { identityId } = created.body.data;
    expect(identityId).toMatch(/^id_[1-9A-HJ-NP-Za-km-z]+$/);
    expectBody(created, { data: { identityId } });
    const { data } = (await call(emulator, "getIdentity", { identity: identityId })).body;
    const ratelimits = data.ratelimits?.map(({ id, ...limit }: { id: string }) => {
      expect(id).toMatch(/^rl_/);
      return limit;
    });
    expect({ ...data, ...(ratelimits && { ratelimits }) }).toEqual({
      externalId: input.externalId,
      id: identityId,
      ...stored,
    });
    // The snapshot has it too.
    await emulator.restore(emulator.snapshot());
    expect((await call(emulator, "getIdentity", { identity: identityId })).body.data).toEqual(data);
  });

  test("refuses an unknown member in strict mode", async () => {
    const emulator = await givenEmulator({ fixtures: world(), strict: true });

    const answer = await call(emulator, "createIdentity", { externalId: "dan", foo: 1 });

    expect(answer.status).toBe(400);
    expect(emulator.identities.named("dan")).toBeUndefined();
  });

  test.each(["ann", "id_ann"])("refuses the external id %s, which is taken", async (externalId) => {
    const emulator = await givenWorld();

    await expectNothingLeft(emulator, taken(externalId), () =>
      call(emulator, "createIdentity", { externalId }),
    );
  });

  test("compares external ids exactly, and takes one of another workspace", async () => {
    const emulator = await givenWorld();

    for (const externalId of ["Ann", "ANN", "other"]) {
      expect((await call(emulator, "createIdentity", { externalId })).status).toBe(200);
    }
  });
});

describe("identities.getIdentity", () => {
  test.each(["ann", "id_ann"])("shows an identity by %s, and an id wins", async (identity) => {
    const emulator = await givenWorld();

    const answer = await call(emulator, "getIdentity", { identity });

    const [first, second] = answer.body.data.ratelimits;
    const shown = (limit: typeof calls, { id }: { id: string }) => {
      const { autoApply, duration, limit: max, name } = limit;
      return { autoApply, duration, id, limit: max, name };
    };
    const data = {
      externalId: "ann",
      id: "id_ann",
      meta: { plan: "pro" },
      ratelimits: [shown(calls, first), shown(jobs, second)],
    };
    expect(JSON.stringify(answer.body)).toBe(JSON.stringify({ data, meta: answer.body.meta }));
  });

  test("leaves out empty meta and limits", async () => {
    const emulator = await givenWorld();

    const answer = await call(emulator, "getIdentity", { identity: "bob" });

    expectBody(answer, { data: { externalId: "bob", id: "id_bob" } });
  });

  test.each([
    [["identity.id_bob.read_identity"]],
    [["identity.ann.read_identity"]],
    [["identity.*.update_identity", "read_identity", "IDENTITY.*.READ_IDENTITY"]],
  ])("refuses a token after it looked for the identity: row %#", async (permissions) => {
    const emulator = await givenWorld(permissions);
    const options = { token: "limited_0" };

    const refusal = forbidden(
      "unkey:v1:ws_test:projects/*/identities/id_ann#read or identity.*.read_identity or identity.id_ann.read_identity",
    );
    await expectNothingLeft(emulator, refusal, () =>
      call(emulator, "getIdentity", { identity: "ann" }, options),
    );
    await expectNothingLeft(emulator, missing, () =>
      call(emulator, "getIdentity", { identity: "nobody" }, options),
    );
  });
});

describe("identities.listIdentities", () => {
  const many: Fixture = {
    workspace: { id: "ws_test" },
    identities: Array.from({ length: 120 }, (_, index) => {
      const number = String(index).padStart(3, "0");
      return { id: `id_${number}`, externalId: `user_${number}` };
    }),
  };
  const idsOf = ({ body }: Answer) => body.data.map(({ id }: { id: string }) => id);
  const numbers = (from: number, to: number) =>
    many.identities?.slice(from, to).map(({ id }) => id);

  test("lists up to 100 identities in the order of their ids", async () => {
    const emulator = await givenEmulator({ fixtures: [many] });

    const answer = await call(emulator, "listIdentities", {});

    expect(idsOf(answer)).toEqual(numbers(0, 100));
    expect(Object.keys(answer.body)).toEqual(["data", "meta", "pagination"]);
    expect(answer.body.pagination).toEqual({ cursor: "id_100", hasMore: true });
  });

  test("lists page by page, from any position", async () => {
    const emulator = await givenEmulator({ fixtures: [many] });
    const first = await call(emulator, "listIdentities", { limit: 5 });
    expect(first.body.pagination).toEqual({ cursor: "id_005", hasMore: true });
    await call(emulator, "deleteIdentity", { identity: "id_005" });

    const second = await call(emulator, "listIdentities", { limit: 5, cursor: "id_005" });
    expect(idsOf(second)).toEqual(numbers(6, 11));
    const last = await call(emulator, "listIdentities", { limit: 5, cursor: "id_115" });
    expect(idsOf(last)).toEqual(numbers(115, 120));
    expect(last.body.pagination).toEqual({ hasMore: false });
    const none = await call(emulator, "listIdentities", { cursor: "~" });
    expectBody(none, {
      data: [] as object[],
      meta: none.body.meta,
      pagination: { hasMore: false },
    });
  });

  test.each([
    ["alice", ["id_4"]],
    ["ACME_ALICE", ["id_4"]],
    ["  alice ", ["id_4"]],
    ["ID_4", ["id_4"]],
    ["100%", ["id_1"]],
    ["b_b", []],
    ["%", ["id_1"]],
    ["   ", ["id_1", "id_2", "id_3", "id_4"]],
    ["", ["id_1", "id_2", "id_3", "id_4"]],
    ["x".repeat(256), []],
    ["ws_test", []],
  ])("finds a text in ids and external ids: row %#", async (search, found) => {
    const emulator = await givenEmulator({
      fixtures: [
        {
          identities: [
            { id: "id_1", externalId: "rate100%", meta: { text: "alice" } },
            { id: "id_2", externalId: "rate1000" },
            { id: "id_3", externalId: "bob.b" },
            { id: "id_4", externalId: "acme_alice" },
          ],
        },
      ],
    });

    const answer = await call(emulator, "listIdentities", { search });

    expect(idsOf(answer)).toEqual(found);
    expect(answer.body.pagination).toEqual({ hasMore: false });
  });

  test("asks for the right to read each identity of the page, and for none of an empty page", async () => {
    const emulator = await givenWorld([], ["identity.id_bob.read_identity"]);
    const list = (input: object, token: string) =>
      call(emulator, "listIdentities", input, { token });

    const refusal = forbidden(
      "unkey:v1:ws_test:projects/*/identities/id_ann#read or identity.id_ann.read_identity or identity.*.read_identity",
    );
    await expectNothingLeft(emulator, refusal, () => list({}, "limited_0"));
    await expectNothingLeft(emulator, refusal, () => list({}, "limited_1"));
    expectBody(await list({ search: "nobody" }, "limited_0"), {
      data: [],
      meta: {},
      pagination: { hasMore: false },
    });
    expect(idsOf(await list({ search: "bob" }, "limited_1"))).toEqual(["id_bob"]);
    // The identity that follows the page counts for nothing but the cursor.
    const page = await list({ cursor: "id_bob", limit: 1 }, "limited_1");
    expect(page.body.pagination).toEqual({ cursor: "id_cy", hasMore: true });
  });

  test("shows those of its workspace only", async () => {
    const emulator = await givenWorld();

    expect(idsOf(await call(emulator, "listIdentities", {}))).toEqual([
      "id_ann",
      "id_bob",
      "id_cy",
    ]);
    const others = await call(emulator, "listIdentities", {}, { token: "other_token" });
    expect(idsOf(others)).toEqual(["id_other"]);
  });
});

describe("identities.updateIdentity", () => {
  test.each([
    ["nothing", {}, {}],
    ["meta", { meta: { seats: 3 } }, { meta: { seats: 3 } }],
    ["no meta", { meta: {} }, { meta: undefined }],
    ["limits", { ratelimits: [jobs] }, { ratelimits: [jobs] }],
    ["no limits", { ratelimits: [] }, { ratelimits: undefined }],
    [
      "both",
      { meta: { seats: 3 }, ratelimits: [jobs, calls] },
      { meta: { seats: 3 }, ratelimits: [jobs, calls] },
    ],
  ])("changes %s, and answers and stores the whole identity", async (_, input, changed) => {
    const emulator = await givenWorld();

    const answer = await call(emulator, "updateIdentity", { identity: "ann", ...input });

    const { data } = answer.body;
    const expected = {
      externalId: "ann",
      id: "id_ann",
      meta: { plan: "pro" },
      ratelimits: [calls, jobs],
      ...changed,
    };
    expect(data).toMatchObject(JSON.parse(JSON.stringify(expected)));
    expect(Object.keys(data)).toEqual(Object.keys(JSON.parse(JSON.stringify(expected))));
    const { body } = await call(emulator, "getIdentity", { identity: "id_ann" });
    expect(body.data).toEqual(data);
  });

  test("keeps the id of a limit whose name stays", async () => {
    const emulator = await givenWorld();
    const before = (await call(emulator, "getIdentity", { identity: "ann" })).body.data.ratelimits;
    const ratelimits = [
      { ...calls, limit: 50 },
      { ...calls, name: "other" },
    ];

    const after = await call(emulator, "updateIdentity", { identity: "ann", ratelimits });

    const [first, second] = after.body.data.ratelimits;
    expect(first).toEqual({ ...calls, limit: 50, id: before[0].id });
    expect(second).toEqual({ ...calls, name: "other", id: expect.stringMatching(/^rl_/) });
    expect(before.map(({ id }: { id: string }) => id)).not.toContain(second.id);
  });
});

describe("identities.deleteIdentity", () => {
  test.each(["ann", "id_ann"])("deletes %s, and answers without `data`", async (identity) => {
    const emulator = await givenWorld();

    const answer = await call(emulator, "deleteIdentity", { identity });

    expectBody(answer, {});
    expect(emulator.identities.get("id_ann")).toBeUndefined();
    expect(emulator.keys.get("key_ann")?.identityId).toBe("id_ann");
    expect(emulator.requests.list().at(-1)).toMatchObject({ status: 200 });
  });
});

/** The operations on one identity, each with an input that is valid for every one. */
const onOne = [
  ["getIdentity", {}],
  ["updateIdentity", { meta: { seats: 1 } }],
  ["deleteIdentity", {}],
] as const;

describe.each(onOne)("identities.%s", (name, input) => {
  test("does not find an identity that does not exist, was deleted, or is not of the workspace", async () => {
    const emulator = await givenWorld();
    await call(emulator, "deleteIdentity", { identity: "ann" });

    for (const identity of [
      "nobody",
      "id_other",
      "other",
      "ann",
      "Bob",
      " bob",
      "x".repeat(5_000),
    ]) {
      await expectNothingLeft(emulator, missing, () =>
        call(emulator, name, { ...input, identity }),
      );
    }
  });
});

describe("the order of checks", () => {
  const large = { text: "x".repeat(1_048_576) };
  const tooLarge = invalidInput("Metadata is too large: it must be at most 1.0 MB, but is 1.0 MB.");
  const doubled = invalidInput("Ratelimit with name 'calls' is already defined in the request");
  const twice = [calls, calls];

  test.each<readonly [what: string, name: string, input: object, Refusal]>([
    [
      "no right before too large meta",
      "createIdentity",
      { externalId: "ann", meta: large },
      forbidden("unkey:v1:ws_test:projects/*/identities/*#write or identity.*.create_identity"),
    ],
    [
      "no right before doubled limits",
      "updateIdentity",
      { identity: "nobody", ratelimits: twice },
      forbidden("unkey:v1:ws_test:projects/*/identities/*#write or identity.*.update_identity"),
    ],
    [
      "no right before an unknown identity",
      "deleteIdentity",
      { identity: "nobody" },
      forbidden("unkey:v1:ws_test:projects/*/identities/*#delete or identity.*.delete_identity"),
    ],
    [
      "too large meta before a taken external id",
      "createIdentity",
      { externalId: "ann", meta: large },
      tooLarge,
    ],
    [
      "doubled limits before too large meta",
      "updateIdentity",
      { identity: "ann", meta: large, ratelimits: twice },
      doubled,
    ],
    [
      "doubled limits before an unknown identity",
      "updateIdentity",
      { identity: "nobody", ratelimits: twice },
      doubled,
    ],
    [
      "too large meta before an unknown identity",
      "updateIdentity",
      { identity: "nobody", meta: large },
      tooLarge,
    ],
  ])("reports %s", async (_, name, input, refusal) => {
    const emulator = await givenWorld([]);
    const token = refusal.status === 403 ? "limited_0" : "any_token";

    await expectNothingLeft(emulator, refusal, () => call(emulator, name, input, { token }));
  });
});

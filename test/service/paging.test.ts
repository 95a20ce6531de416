import fc from "fast-check";
import { expect, test } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { codePoint } from "../_code-point.ts";
import { base64url, createKey, givenEmulator, listAll, listKeys } from "../_emulator.ts";
import { anyFixture } from "../_fixtures.ts";
import { createKeyV2, listAllV2, listKeysV2 } from "../_v2.ts";
import { list, versions } from "./_keys.ts";

const API = "api_one";
const owner = fc.constantFrom("ann", "bob", undefined);

const step = fc.oneof(
  fc.record({ kind: fc.constant("v1" as const), owner }),
  fc.record({ kind: fc.constant("v2" as const), owner }),
  fc.record({ kind: fc.constant("elsewhere" as const), owner }),
  // Ids that a test gives can be anywhere in the list, also before the page that comes next.
  fc.record({
    kind: fc.constant("given" as const),
    owner,
    id: fc.stringMatching(/^key_[1-9A-HJ-NP-Za-km-z]{1,3}$/),
  }),
  fc.record({ kind: fc.constant("delete" as const), place: fc.nat(200) }),
  fc.record({ kind: fc.constant("delete next" as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** The owner of each key of the API, by the id of the key. */
type Model = Map<string, string | undefined>;

async function take(emulator: Emulator, model: Model, step: Step, cursor: string): Promise<void> {
  const remove = (id: string | undefined) => {
    if (id === undefined || !model.delete(id)) return;
    expect(emulator.keys.delete((query) => query.where({ id }))?.id).toBe(id);
  };
  switch (step.kind) {
    case "v1": {
      const { body } = await createKey(emulator, { apiId: API, externalId: step.owner });
      return void model.set(body.keyId, step.owner);
    }
    case "v2": {
      const { body } = await createKeyV2(emulator, { apiId: API, externalId: step.owner });
      return void model.set(body.data.keyId, step.owner);
    }
    case "elsewhere":
      return void (await createKeyV2(emulator, { apiId: "api_vault", externalId: step.owner }));
    case "given": {
      if (model.has(step.id)) return;
      await emulator.keys.create({ id: step.id, apiId: API, externalId: step.owner });
      return void model.set(step.id, step.owner);
    }
    case "delete":
      return remove([...model.keys()][step.place % Math.max(1, model.size)]);
    case "delete next":
      return remove(cursor);
  }
}

const limits = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 100 })),
  { minLength: 1, maxLength: 20 },
);
const filters = { externalId: ["ann", "nobody"], ownerId: ["bob", "nobody"] };

test.each(versions)(
  "while keys come and go between pages, each page of %s is what a plain model predicts",
  async (version) => {
    const isV1 = version === "v1";
    const filter = fc.constantFrom<{ externalId?: string; ownerId?: string }>(
      {},
      ...filters.externalId.map((externalId) => ({ externalId })),
      ...(isV1 ? filters.ownerId.map((ownerId) => ({ ownerId })) : []),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 100, size: "max" }),
        limits,
        fc.array(fc.array(step, { maxLength: 5 }), { maxLength: 20 }),
        filter,
        async (first, sizes, later, wanted) => {
          const emulator = await givenEmulator();
          const model: Model = new Map();
          for (const each of first) await take(emulator, model, each, "");

          const [name] = Object.values(wanted);
          /** The last key of the page before, or the first one of this page. */
          let position: string | undefined = "";
          let cursor: string | undefined;
          for (let page = 0; position !== undefined; page += 1) {
            const limit = sizes[page % sizes.length] ?? 1;
            const from: string = position;
            const left: string[] = [...model]
              .filter(([id, of]) => (name ?? of) === of && (isV1 ? id > from : id >= from))
              .map(([id]) => id)
              .toSorted();
            const input = {
              apiId: API,
              limit,
              ...(cursor === undefined ? {} : { cursor }),
              ...wanted,
            };
            const { body, status } = await list(emulator, version, input);

            const records: { id: string; keyId: string }[] = isV1 ? body.keys : body.data;
            expect(status).toBe(200);
            expect(records.map(({ id, keyId }) => (isV1 ? id : keyId))).toEqual(
              left.slice(0, limit),
            );
            const hasMore = left.length > limit;
            position = hasMore ? left[isV1 ? limit - 1 : limit] : undefined;
            cursor = isV1 && hasMore ? base64url(JSON.stringify({ key: position })) : position;
            if (isV1) expect([body.cursor, body.total]).toEqual([cursor, model.size]);
            else expect(body.pagination).toEqual(hasMore ? { cursor, hasMore } : { hasMore });
            for (const each of later[page] ?? []) await take(emulator, model, each, position ?? "");
          }
        },
      ),
      { numRuns: 30 },
    );
  },
);

test("a random cursor is answered by v1 with a page or with 400", async () => {
  const emulator = await givenEmulator();
  await createKey(emulator, { apiId: API });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.string(), fc.base64String(), fc.string({ unit: codePoint })),
      async (text) => {
        const encoded = base64url(JSON.stringify({ key: text }));
        for (const cursor of [text, encoded]) {
          const { status } = await listKeys(emulator, { apiId: API, cursor });
          expect([200, 400]).toContain(status);
        }
      },
    ),
  );
});

test("a page of v2 at any cursor has the keys from there on", async () => {
  const emulator = await givenEmulator();
  for (const externalId of ["ann", "bob", "ann"]) {
    await createKeyV2(emulator, { apiId: API, externalId });
  }
  const ids = emulator.keys.all().map(({ id }) => id);
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc
          .tuple(fc.constantFrom(...ids), fc.string({ maxLength: 2 }))
          .map((parts) => parts.join("")),
      ),
      async (cursor) => {
        const { body } = await listKeysV2(emulator, { apiId: API, cursor });
        const listed = body.data.map(({ keyId }: { keyId: string }) => keyId);
        expect(listed).toEqual(ids.filter((id) => id >= cursor));
      },
    ),
  );
});

// oxlint-disable-next-line typescript/no-explicit-any
type Anything = any;
const unlessEmpty = (value: object | undefined) =>
  value === undefined || Object.keys(value).length === 0 ? undefined : value;
const identityOf = (identity: Anything) =>
  identity && {
    id: identity.id,
    externalId: identity.externalId,
    meta: unlessEmpty(identity.meta),
  };

/** What both versions show of a key, from its record of v1. */
const fromV1 = ({ id, identity, meta, name, permissions, roles, ...rest }: Anything) => {
  const { createdAt, enabled, expires, plaintext, ratelimit, refill, remaining, start, updatedAt } =
    rest;
  return {
    id,
    createdAt,
    enabled,
    expires,
    plaintext,
    refill,
    remaining,
    start,
    updatedAt,
    identity: identityOf(identity),
    meta: unlessEmpty(meta),
    name: name || undefined,
    permissions,
    roles,
    window: ratelimit && [ratelimit.limit, ratelimit.duration],
  };
};

/** The same, from its record of v2. */
const fromV2 = ({ credits, identity, keyId, meta, name, permissions = [], ...rest }: Anything) => {
  const { createdAt, enabled, expires, plaintext, ratelimits = [], start, updatedAt } = rest;
  const window = ratelimits.find((limit: Anything) => limit.name === "default");
  return {
    id: keyId,
    createdAt,
    enabled,
    expires,
    plaintext,
    start,
    updatedAt,
    refill: credits?.refill,
    remaining: credits?.remaining,
    identity: identityOf(identity),
    meta,
    name,
    permissions,
    roles: rest.roles ?? [],
    window: window && [window.limit, window.duration],
  };
};

const created = fc.record({
  viaV2: fc.boolean(),
  body: fc.record(
    {
      apiId: fc.constantFrom("api_a", "api_b"),
      prefix: fc.constantFrom("pay", "pay_live"),
      name: fc.constantFrom("one", "<two>"),
      externalId: fc.constantFrom("user_1", "user_2"),
      meta: fc.constantFrom({}, { plan: "pro" }),
      permissions: fc.constantFrom([], ["documents.read", "new.one"]),
      expires: fc.constantFrom(0, 1, 4_102_444_800_000),
      enabled: fc.boolean(),
    },
    { requiredKeys: ["apiId"] },
  ),
  uses: fc.constantFrom(undefined, 5),
  limits: fc.subarray(["default", "other"]),
});

test("a world that is listed by v1 and by v2 is the same world", async () => {
  await fc.assert(
    fc.asyncProperty(anyFixture, fc.array(created, { maxLength: 8 }), async (fixture, creates) => {
      const open = { ...fixture, workspace: { id: "ws_one" }, tokens: [] };
      const emulator = await givenEmulator({ fixtures: [open] });
      for (const { body, limits, uses, viaV2 } of creates) {
        const window = { limit: 7, duration: 2_000 };
        const ofV1 = {
          remaining: uses,
          ratelimit: limits.includes("default") ? window : undefined,
        };
        const ofV2 = {
          credits: uses && { remaining: uses },
          ratelimits: limits.map((name) => ({ ...window, name, autoApply: true })),
        };
        const answer = viaV2
          ? await createKeyV2(emulator, { ...body, ...ofV2 })
          : await createKey(emulator, { ...body, ...ofV1 });
        expect(answer.status).toBe(200);
      }

      for (const apiId of ["api_a", "api_b"]) {
        const decrypt = apiId === "api_a";
        for (const limit of [2, 100]) {
          const [one, two] = [
            await listAll(emulator, { apiId, decrypt, limit }),
            await listAllV2(emulator, { apiId, decrypt, limit }),
          ];
          expect(two.map(fromV2)).toEqual(one.map(fromV1));
        }
      }
    }),
    { numRuns: 15 },
  );
});

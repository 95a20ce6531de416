import fc from "fast-check";
import { expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { givenEmulator, NOW, post } from "../_emulator.ts";
import { acceptingAll } from "../_v2.ts";

const HOUR = 3_600_000;
const NAMES = ["ann", "bob"] as const;
const KEYS = ["key_1", "key_2", "key_3"] as const;
const first = { name: "calls", limit: 1 };
const fixture: Fixture = {
  apis: [{ id: "api_one" }],
  identities: [
    {
      id: "id_first",
      externalId: "ann",
      ratelimits: [{ ...first, duration: HOUR, autoApply: true }],
    },
  ],
  keys: KEYS.map((id) => ({
    id,
    apiId: "api_one",
    key: `value of ${id}`,
    ...(id !== "key_3" && { externalId: "ann" }),
  })),
};

interface Limit {
  readonly name: string;
  readonly limit: number;
}
interface Settings {
  readonly meta?: object;
  readonly ratelimits?: readonly Limit[];
}
interface PlainIdentity extends Required<Settings> {
  readonly externalId: string;
}

/** What the emulator should know. Ids, which it makes up, are learned from it. */
interface Model {
  readonly identities: Record<string, PlainIdentity>;
  /** The id of the identity of each key, also of a deleted one. */
  readonly owners: Record<string, string | undefined>;
  /** Uses in the current hour, by identity and name of a limit. */
  readonly uses: Record<string, number>;
}

const startOfModel = (): Model => ({
  identities: { id_first: { externalId: "ann", meta: {}, ratelimits: [first] } },
  owners: { key_1: "id_first", key_2: "id_first" },
  uses: {},
});

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const limit = fc.record({
  name: fc.constantFrom("calls", "jobs"),
  limit: fc.integer({ min: 1, max: 2 }),
});
const settings: fc.Arbitrary<Settings> = fc
  .record({
    meta: optional(fc.constantFrom({}, { plan: "pro" })),
    ratelimits: optional(fc.uniqueArray(limit, { maxLength: 2, selector: ({ name }) => name })),
  })
  .map((all) => JSON.parse(JSON.stringify(all)) as Settings);
const externalId = fc.constantFrom(...NAMES);
const keyId = fc.constantFrom(...KEYS);
const kindOf = <Kind extends string>(kind: Kind) => fc.constant(kind);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: kindOf("create"), externalId, settings }) },
  { weight: 3, arbitrary: fc.record({ kind: kindOf("update"), externalId, settings }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: kindOf("delete"), externalId, inProcess: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: kindOf("link"), keyId, owner: fc.constantFrom(...NAMES, null) }),
  },
  { weight: 8, arbitrary: fc.record({ kind: kindOf("verify"), keyId }) },
  { weight: 1, arbitrary: fc.record({ kind: kindOf("reset") }) },
  { weight: 1, arbitrary: fc.record({ kind: kindOf("snapshot") }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kindOf("restore"), place: fc.nat(9), isJson: fc.boolean() }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Play {
  readonly emulator: Emulator;
  model: Model;
  readonly snapshots: { readonly taken: Fixture; readonly model: Model }[];
  /** What has happened so far. */
  readonly found: Set<string>;
}

async function call(emulator: Emulator, operation: string, input: object) {
  const { body, status } = await post(emulator, `/v2/${operation}`, input, acceptingAll());
  return { status, data: body.data };
}

const idOf = ({ identities }: Model, name: string | null) =>
  Object.keys(identities).find((id) => identities[id]?.externalId === name);

/** The input of a call, with the limits in full. */
const toInput = ({ meta, ratelimits }: Settings) => ({
  meta,
  ratelimits: ratelimits?.map((each) => ({ ...each, duration: HOUR, autoApply: true })),
});

async function take(play: Play, each: Step): Promise<unknown> {
  const { emulator, found, model, snapshots } = play;
  const id = "externalId" in each ? idOf(model, each.externalId) : undefined;
  switch (each.kind) {
    case "create": {
      const input = { externalId: each.externalId, ...toInput(each.settings) };
      const { data, status } = await call(emulator, "identities.createIdentity", input);
      expect(status).toBe(id === undefined ? 200 : 409);
      found.add(`create ${status}`);
      if (id !== undefined) return undefined;
      expect(Object.values(model.owners)).not.toContain(data.identityId);
      const { meta = {}, ratelimits = [] } = each.settings;
      model.identities[data.identityId] = { externalId: each.externalId, meta, ratelimits };
      return undefined;
    }
    case "update": {
      const input = { identity: each.externalId, ...toInput(each.settings) };
      const { data, status } = await call(emulator, "identities.updateIdentity", input);
      expect(status).toBe(id === undefined ? 404 : 200);
      if (id === undefined) return undefined;
      const before = model.identities[id] as PlainIdentity;
      model.identities[id] = { ...before, ...each.settings };
      return expect(plain(data)).toEqual(shown(model, id));
    }
    case "delete": {
      if (each.inProcess) emulator.identities.delete({ externalId: each.externalId });
      else {
        const input = { identity: each.externalId };
        const { status } = await call(emulator, "identities.deleteIdentity", input);
        expect(status).toBe(id === undefined ? 404 : 200);
      }
      if (id !== undefined) delete model.identities[id];
      return undefined;
    }
    case "link": {
      const input = { keyId: each.keyId, externalId: each.owner };
      expect((await call(emulator, "keys.updateKey", input)).status).toBe(200);
      const owner = each.owner && emulator.identities.named(each.owner);
      if (owner && idOf(model, each.owner) === undefined) {
        found.add("made by a key");
        model.identities[owner.id] = { externalId: owner.externalId, meta: {}, ratelimits: [] };
      }
      model.owners[each.keyId] = idOf(model, each.owner);
      return undefined;
    }
    case "verify": {
      const { data } = await call(emulator, "keys.verifyKey", { key: `value of ${each.keyId}` });
      const expected = verify(model, each.keyId);
      found.add(expected.code);
      return expect({ code: data.code, identity: plain(data.identity) }).toEqual(expected);
    }
    case "reset":
      await emulator.reset();
      play.model = startOfModel();
      return undefined;
    case "snapshot":
      return snapshots.push({ taken: emulator.snapshot(), model: structuredClone(model) });
    case "restore": {
      const last = snapshots[each.place % Math.max(1, snapshots.length)];
      if (last === undefined) return undefined;
      const { taken } = last;
      await emulator.restore(each.isJson ? (JSON.parse(JSON.stringify(taken)) as Fixture) : taken);
      play.model = structuredClone(last.model);
      return undefined;
    }
  }
}

/** All limits of the identity count the use, unless one of them refuses. */
function verify(model: Model, key: string) {
  const id = model.owners[key];
  const { ratelimits = [] } = model.identities[id ?? ""] ?? {};
  const usesOf = ({ name }: Limit) => model.uses[`${id} ${name}`] ?? 0;
  const isRefused = ratelimits.some((each) => usesOf(each) >= each.limit);
  if (!isRefused) {
    for (const each of ratelimits) model.uses[`${id} ${each.name}`] = usesOf(each) + 1;
  }
  return { code: isRefused ? "RATE_LIMITED" : "VALID", identity: shown(model, id) };
}

/** An identity as v2 shows it, without the ids of its limits. */
function shown({ identities }: Model, id: string | undefined) {
  const found = identities[id ?? ""];
  if (found === undefined) return undefined;
  const { externalId: name, meta, ratelimits } = found;
  return {
    externalId: name,
    id,
    ...(Object.keys(meta).length > 0 && { meta }),
    ...(ratelimits.length > 0 && { ratelimits: toInput({ ratelimits }).ratelimits }),
  };
}

// oxlint-disable-next-line typescript/no-explicit-any
function plain(identity: any) {
  if (identity?.ratelimits === undefined) return identity;
  const ratelimits = identity.ratelimits.map((each: { id?: string }) => {
    const { id, ...rest } = each;
    expect(id).toMatch(/^rl_/);
    return rest;
  });
  return { ...identity, ratelimits };
}

/** Expects that reads of all identities and keys answer as the model says. */
async function expectAlike({ emulator, found, model }: Play): Promise<void> {
  const { data: all } = await call(emulator, "identities.listIdentities", {});
  const ids = Object.keys(model.identities).toSorted();
  expect(all.map(plain)).toEqual(ids.map((id) => shown(model, id)));
  for (const name of NAMES) {
    const id = idOf(model, name);
    const { data, status } = await call(emulator, "identities.getIdentity", { identity: name });
    expect([status, plain(data)]).toEqual([id === undefined ? 404 : 200, shown(model, id)]);
    const listed = await call(emulator, "apis.listKeys", { apiId: "api_one", externalId: name });
    const theirs = KEYS.filter((key) => id !== undefined && model.owners[key] === id);
    expect(listed.data.map((each: { keyId: string }) => each.keyId)).toEqual(theirs);
  }
  for (const key of KEYS) {
    const { data } = await call(emulator, "keys.getKey", { keyId: key });
    const owner = model.owners[key];
    expect(plain(data.identity)).toEqual(shown(model, owner));
    if (owner !== undefined && data.identity === undefined) found.add("of a deleted identity");
  }
}

test("after any changes of identities and keys, all answers are as those of a plain model", async () => {
  const found = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30, size: "max" }), async (steps) => {
      const emulator = await givenEmulator({ fixtures: [fixture], now: NOW });
      const play: Play = { emulator, model: startOfModel(), snapshots: [], found };
      for (const each of steps) {
        await take(play, each);
        if (each.kind !== "verify") await expectAlike(play);
      }
    }),
    { numRuns: 30 },
  );
  // The steps lead to all of this.
  expect([...found].toSorted()).toEqual([
    "RATE_LIMITED",
    "VALID",
    "create 200",
    "create 409",
    "made by a key",
    "of a deleted identity",
  ]);
});

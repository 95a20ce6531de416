import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UsageError, type Emulator, type Fixture, type Sandbox } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys } from "../_emulator.ts";

const APIS = ["api_a", "api_b"];
const OWNERS = ["ann", "bob", "eve"];

const fixture: Fixture = {
  workspace: { id: "ws_test" },
  tokens: [{ token: "root", permissions: ["*"] }],
  apis: APIS.map((id) => ({ id })),
  // Ids that the emulator makes sort after these.
  keys: [
    { id: "key_01", apiId: "api_a", externalId: "ann", name: "one" },
    { id: "key_03", apiId: "api_b", name: "two" },
  ],
};

interface PlainIdentity {
  externalId: string;
  plan: unknown;
  isGone: boolean;
}

interface PlainKey {
  readonly id: string;
  identity: PlainIdentity | undefined;
  apiId: string;
  ownerId: string | undefined;
  name: string | undefined;
  remaining: number | undefined;
}
type Change = Pick<PlainKey, "apiId" | "ownerId" | "name" | "remaining">;

/** The records that an emulator should hold, as plain data that structuredClone can copy. */
interface PlainState {
  readonly keys: Map<string, PlainKey>;
  readonly identities: Set<PlainIdentity>;
  /** Role names in the order of creation. */
  readonly roles: Set<string>;
}

/** An update that has begun and whose `data` function still waits. */
interface Waiting {
  readonly key: PlainKey;
  readonly drafted: PlainKey;
  readonly change: Change;
  readonly life: number;
  readonly goOn: () => void;
  readonly result: Promise<unknown>;
}

/** The expected state of a sandbox, next to the sandbox itself. */
class PlainWorld {
  readonly sandbox: Sandbox;
  readonly token: string;
  state: PlainState;
  /** Grows with each reset and restore, which refuse the updates that began before. */
  life = 0;
  readonly waiting: Waiting[] = [];
  readonly #start: PlainState;
  readonly #used = new Set<string>();
  /** Ids made before the latest reset with fresh ids, which must not come again. */
  #stale: ReadonlySet<string> = new Set();

  constructor(sandbox: Sandbox, token: string) {
    this.sandbox = sandbox;
    this.token = token;
    this.state = { keys: new Map(), identities: new Set(), roles: new Set() };
    for (const { id, apiId, externalId, name } of fixture.keys ?? []) {
      this.add(String(id), { apiId, ownerId: externalId, name, remaining: undefined });
    }
    this.#start = structuredClone(this.state);
  }

  add(id: string, change: Change): void {
    const { keys } = this.state;
    expect(keys.has(id)).toBe(false);
    keys.set(id, { id, identity: this.#ensureIdentity(change.ownerId), ...change });
  }

  /** Changes a key. A new owner also links a key that has no identity yet. */
  change(key: PlainKey, change: Partial<Change>): void {
    const isNewOwner = "ownerId" in change && change.ownerId !== key.ownerId;
    if (isNewOwner) key.identity ??= this.#ensureIdentity(change.ownerId);
    Object.assign(key, change);
  }

  #ensureIdentity(ownerId: string | undefined): PlainIdentity | undefined {
    if (ownerId === undefined) return undefined;
    const { identities } = this.state;
    const found = [...identities].find(({ externalId }) => externalId === ownerId);
    if (found !== undefined) return found;
    const identity = { externalId: ownerId, plan: undefined, isGone: false };
    identities.add(identity);
    return identity;
  }

  /** Adds a key whose id was made. */
  addMade(id: string, change: Change): void {
    expect(this.#stale).not.toContain(id);
    this.#used.add(id);
    this.add(id, change);
  }

  reset({ freshIds }: { readonly freshIds: boolean }): void {
    this.hold(this.#start);
    if (freshIds) this.#stale = new Set(this.#used);
  }

  hold(state: PlainState): void {
    this.state = structuredClone(state);
    this.life += 1;
    this.#stale = new Set();
  }

  /** Sorted by id. */
  get keys(): PlainKey[] {
    return [...this.state.keys.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }
}

const step = fc.record({
  kind: fc.constantFrom(
    ...(["request", "request", "create", "update", "update", "begin", "begin", "end"] as const),
    ...(["delete", "deleteMany", "toggleRole", "toggleRole", "seed"] as const),
    ...(["renameIdentity", "changeIdentity", "deleteIdentity"] as const),
    ...(["snapshot", "snapshot", "snapshot", "restore", "restore", "restore"] as const),
    ...(["reset", "resetFresh", "resetAll"] as const),
  ),
  world: fc.nat(2),
  place: fc.nat(9),
  apiId: fc.constantFrom(...APIS),
  ownerId: fc.constantFrom(...OWNERS, undefined),
  name: fc.constantFrom("one", "two", undefined),
  flag: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Taken {
  readonly fixture: Fixture;
  readonly state: PlainState;
  readonly isOfAll: boolean;
}

/** An emulator with its worlds, the shared one first, and the snapshots that were taken. */
interface Play {
  readonly emulator: Emulator;
  readonly worlds: readonly PlainWorld[];
  readonly snapshots: Taken[];
}

async function givenPlay(isolate: boolean): Promise<Play> {
  const emulator = await givenEmulator({ fixtures: [fixture], isolate });
  const isolatedTokens = isolate ? ["guest_1", "guest_2"] : [];
  const worlds = [
    new PlainWorld(emulator, "root"),
    ...isolatedTokens.map((token) => new PlainWorld(emulator.workspace(token), token)),
  ];
  return { emulator, worlds, snapshots: [] };
}

function at<Item>(items: Iterable<Item>, place: number): Item | undefined {
  const all = [...items];
  return all[place % Math.max(1, all.length)];
}

/** Takes a step in the emulator and in the model. */
async function take({ emulator, snapshots, worlds }: Play, world: PlainWorld, step: Step) {
  const { apiId, flag, kind, name, ownerId, place } = step;
  const { sandbox, state, token } = world;
  const { identities, keys } = sandbox;
  const key = at(world.keys, place);
  const identity = at(state.identities, place);
  const members = { apiId, ownerId, name, remaining: undefined };
  const change: Change = { apiId, ownerId, name, remaining: place };
  switch (kind) {
    case "request": {
      const { body } = await createKey(emulator, { apiId, externalId: ownerId, name }, { token });
      return world.addMade(body.keyId, members);
    }
    case "create": {
      const id = flag ? `key_0${place}` : undefined;
      const created = keys.create({ id, apiId, externalId: ownerId, name });
      if (id !== undefined && state.keys.has(id)) return refused(created);
      if (id === undefined) return world.addMade((await created).id, members);
      expect((await created).id).toBe(id);
      return world.add(id, members);
    }
    case "update": {
      if (key === undefined) return undefined;
      await keys.update({ id: key.id }, { data: (draft) => void Object.assign(draft, change) });
      return world.change(key, change);
    }
    case "begin": {
      if (key === undefined) return undefined;
      let goOn = () => {};
      const told = new Promise<void>((resolve) => (goOn = resolve));
      const data = async (draft: object) => {
        await told;
        Object.assign(draft, change);
      };
      const result = keys.update({ id: key.id }, { data });
      const { life } = world;
      world.waiting.push({ key, drafted: { ...key }, change, life, goOn, result });
      return undefined;
    }
    case "end":
      return endUpdate(world);
    case "delete": {
      if (key === undefined) return undefined;
      expect(keys.delete({ id: key.id })?.id).toBe(key.id);
      return void state.keys.delete(key.id);
    }
    case "deleteMany": {
      const gone = world.keys.filter((each) => each.ownerId === ownerId);
      expect(keys.deleteMany({ ownerId }).map(({ id }) => id)).toEqual(gone.map(({ id }) => id));
      for (const { id } of gone) state.keys.delete(id);
      return undefined;
    }
    case "renameIdentity": {
      if (identity === undefined || ownerId === undefined) return undefined;
      const isTaken = [...state.identities].some(
        (each) => each !== identity && each.externalId === ownerId,
      );
      const data = (draft: { externalId: string }) => void (draft.externalId = ownerId);
      const renamed = identities.update({ externalId: identity.externalId }, { data });
      if (isTaken) return refused(renamed);
      await renamed;
      identity.externalId = ownerId;
      return undefined;
    }
    case "changeIdentity": {
      if (identity === undefined) return undefined;
      const data = (draft: { meta: object }) => void (draft.meta = { plan: place });
      await identities.update({ externalId: identity.externalId }, { data });
      identity.plan = place;
      return undefined;
    }
    case "deleteIdentity": {
      if (identity === undefined) return undefined;
      identities.delete({ externalId: identity.externalId });
      identity.isGone = true;
      return void state.identities.delete(identity);
    }
    case "toggleRole": {
      const role = { name: OWNERS[place % OWNERS.length] as string };
      const found = sandbox.roles.delete(role);
      expect(found?.name).toBe(state.roles.has(role.name) ? role.name : undefined);
      if (state.roles.delete(role.name)) return undefined;
      await sandbox.roles.create(role);
      return void state.roles.add(role.name);
    }
    case "reset":
    case "resetFresh": {
      const freshIds = kind === "resetFresh";
      await sandbox.reset({ freshIds });
      return world.reset({ freshIds });
    }
    case "resetAll": {
      await emulator.reset({ all: true, freshIds: flag });
      for (const each of worlds) each.reset({ freshIds: flag });
      return undefined;
    }
    case "snapshot": {
      const taken = { fixture: sandbox.snapshot(), state: structuredClone(state) };
      snapshots.push({ ...taken, isOfAll: world === worlds[0] });
      return undefined;
    }
    case "restore": {
      // Snapshots of isolated workspaces lack the tokens that the shared world needs.
      const fitting = snapshots.filter(({ isOfAll }) => isOfAll || world !== worlds[0]);
      const taken = at(fitting, place);
      if (taken === undefined) return undefined;
      const text = JSON.stringify(taken.fixture);
      await sandbox.restore(flag ? (JSON.parse(text) as Fixture) : taken.fixture);
      return world.hold(taken.state);
    }
    case "seed": {
      const id = flag ? `key_0${place}` : undefined;
      const seeded = sandbox.seed({ keys: [{ id, apiId, externalId: ownerId, name }] });
      if (id !== undefined && state.keys.has(id)) return refused(seeded);
      await seeded;
      if (id !== undefined) return world.add(id, members);
      const added = keys.all().filter((each) => !state.keys.has(each.id));
      expect(added).toHaveLength(1);
      return world.addMade(String(added[0]?.id), members);
    }
  }
}

/** Ends the update that has waited longest. */
async function endUpdate(world: PlainWorld): Promise<void> {
  const waiting = world.waiting.shift();
  if (waiting === undefined) return;
  const { change, drafted, goOn, key, life, result } = waiting;
  goOn();
  // Another key may have its id by now.
  const isGone = life !== world.life || world.state.keys.get(key.id) !== key;
  if (isGone) return refused(result);
  const members = ["apiId", "ownerId", "name", "remaining"] as const;
  const changed = members.filter((member) => change[member] !== drafted[member]);
  // Another update may have changed one of them too.
  if (changed.some((member) => key[member] !== drafted[member])) return refused(result);
  await result;
  for (const member of changed) world.change(key, { [member]: change[member] });
}

async function refused(result: Promise<unknown>): Promise<void> {
  await expect(result).rejects.toThrow(UsageError);
}

/** A key as a list shows it. */
function shown({ apiId, id, identity, name, ownerId, remaining }: PlainKey) {
  const isThere = identity !== undefined && !identity.isGone;
  const { externalId, plan } = isThere ? identity : {};
  return { id, apiId, name, ownerId, remaining, externalId, plan };
}

function expectRecords({ keys, sandbox, state }: PlainWorld): void {
  const records = sandbox.keys.all().map((key) => {
    const identity = sandbox.identities.get(key.identityId);
    const { apiId, id, name, ownerId, remaining } = key;
    const { externalId, meta } = identity ?? {};
    return { id, apiId, name, ownerId, remaining, externalId, plan: meta?.["plan"] };
  });
  expect(records).toEqual(keys.map(shown));
  expect(sandbox.keys.count()).toBe(state.keys.size);
  for (const { id } of keys) expect(sandbox.keys.get(id)?.id).toBe(id);
  expect(sandbox.roles.all().map((role) => role.name)).toEqual([...state.roles]);
  const externalIds = sandbox.identities.all().map(({ externalId }) => externalId);
  expect(externalIds.toSorted()).toEqual(
    Array.from(state.identities, ({ externalId }) => externalId).toSorted(),
  );
}

/** Compares every page of every list, with `limit` keys to a page. */
async function expectPages(emulator: Emulator, world: PlainWorld, limit: number): Promise<void> {
  const { keys, token } = world;
  const [pages, expected]: [unknown[], unknown[]] = [[], []];
  for (const apiId of APIS) {
    const all = keys.filter((key) => key.apiId === apiId).map(shown);
    const total = all.length;
    const lists: [filter: object, matching: typeof all][] = [[{}, all]];
    for (const owner of OWNERS) {
      lists.push([{ ownerId: owner }, all.filter(({ ownerId }) => ownerId === owner)]);
      lists.push([{ externalId: owner }, all.filter(({ externalId }) => externalId === owner)]);
    }
    for (const [filter, matching] of lists) {
      let cursor = "";
      for (let from = 0; from === 0 || from < matching.length; from += limit) {
        const query = { apiId, ...filter, limit, cursor };
        const { body } = await listKeys(emulator, query, { token });
        cursor = body.cursor;
        pages.push([body.keys.map(listed), body.total, body.cursor !== undefined]);
        expected.push([matching.slice(from, from + limit), total, from + limit < matching.length]);
      }
    }
  }
  expect(pages).toEqual(expected);
}

// oxlint-disable-next-line typescript/no-explicit-any
function listed({ apiId, id, identity, name, ownerId, remaining }: any) {
  const { externalId, meta } = identity ?? {};
  return { id, apiId, name, ownerId, remaining, externalId, plan: meta?.plan };
}

describe("any sequence of calls and resets", () => {
  test.each([
    ["with one shared world", false],
    ["with an isolated workspace for each token", true],
  ])(
    "records and pages equal a plain model after any sequence of calls and resets, %s",
    async (_, isolate) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30, size: "max" }), async (steps) => {
          const play = await givenPlay(isolate);
          const { emulator, worlds } = play;
          for (const [index, each] of steps.entries()) {
            const world = at(worlds, each.world) as PlainWorld;
            await take(play, world, each);
            for (const other of worlds) expectRecords(other);
            await expectPages(emulator, world, [1, 2, 100][index % 3] as number);
          }
          for (const world of worlds) {
            while (world.waiting.length > 0) await endUpdate(world);
            expectRecords(world);
            for (const limit of [1, 2, 100]) await expectPages(emulator, world, limit);
          }
        }),
        { numRuns: 25 },
      );
    },
  );
});

const replacements: Record<string, (emulator: Emulator, snapshot: Fixture) => Promise<void>> = {
  "a reset": (emulator) => emulator.reset(),
  "a reset with fresh ids": (emulator) => emulator.reset({ freshIds: true }),
  "a snapshot": (emulator, snapshot) => emulator.restore(snapshot),
  "the JSON of a snapshot": (emulator, snapshot) =>
    emulator.restore(JSON.parse(JSON.stringify(snapshot)) as Fixture),
  "a reseed": (emulator) => emulator.reseed([fixture]),
};

describe("replaced states", () => {
  test.each(Object.entries(replacements))(
    "after %s, an update whose data still waits is refused and changes nothing",
    async (_, replace) => {
      const emulator = await givenEmulator({ fixtures: [fixture] });
      const snapshot = emulator.snapshot();
      let goOn = () => {};
      const told = new Promise<void>((resolve) => (goOn = resolve));
      const update = emulator.keys.update(
        { id: "key_01" },
        {
          data: async (key) => {
            await told;
            key.name = "late";
          },
        },
      );

      await replace(emulator, snapshot);
      goOn();

      await refused(update);
      expect(emulator.keys.get("key_01")?.name).toBe("one");
    },
  );

  test.each(Object.entries(replacements))(
    "after %s, records obtained before it can still be passed to update and delete",
    async (_, replace) => {
      const emulator = await givenEmulator({ fixtures: [fixture] });
      const { keys } = emulator;
      const snapshot = emulator.snapshot();
      const rename = (name: string) => ({
        data: (key: { name?: string | undefined }) => void (key.name = name),
      });
      const old = keys.findFirst({ id: "key_01" }, { strict: true });
      const changed = await keys.update(old, { ...rename("before"), strict: true });

      await replace(emulator, snapshot);
      await keys.update(changed, rename("after"));
      expect(keys.get("key_01")?.name).toBe("after");
      await keys.update(old, rename("again"));
      expect(keys.delete(changed)?.name).toBe("again");

      expect(keys.get("key_01")).toBeUndefined();
      expect(keys.count()).toBe(1);
    },
  );
});

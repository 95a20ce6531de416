import fc from "fast-check";
import { expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { givenEmulator, NOW, post } from "../_emulator.ts";
import { acceptingAll } from "../_v2.ts";
import { verifyV1, verifyV2, worldWith } from "./_verify.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface Limit {
  readonly name: string;
  readonly limit: number;
  readonly duration: number;
  readonly autoApply: boolean;
}
interface Refill {
  readonly interval: "daily" | "monthly";
  readonly amount: number;
  readonly refillDay?: number;
}
/** A rate limit as a verification names it. */
interface Named {
  readonly name: string;
  readonly cost: number;
  readonly limit?: number;
  readonly duration?: number;
}
/** The members that an update sets. */
interface Settings {
  readonly enabled: boolean;
  readonly expires: number | null;
  readonly credits: { readonly remaining: number; readonly refill: Refill | null } | null;
  readonly ratelimits: readonly Limit[];
}

const whole: Limit = { name: "whole", limit: 6, duration: MINUTE, autoApply: true };
/** A limit with a name that the keys may have too. */
const common: Limit = { name: "calls", limit: 4, duration: HOUR, autoApply: false };
const start: Settings = {
  enabled: true,
  expires: null,
  credits: { remaining: 3, refill: { interval: "daily", amount: 4 } },
  ratelimits: [{ ...whole, name: "default" }],
};
const IDS = ["key_1", "key_2"] as const;
const IDENTITY = "id_ann";
const fixture: Fixture = worldWith(
  {},
  {
    identities: [{ id: IDENTITY, externalId: "ann", ratelimits: [whole, common] }],
    keys: IDS.map((id) => ({
      id,
      apiId: "api_first",
      key: `value of ${id}`,
      externalId: "ann",
      createdAt: 1,
      remaining: 3,
      refill: { interval: "daily", amount: 4 },
      ratelimits: [...start.ratelimits],
    })),
  },
);

/** The state that the emulator should have, in plain data. */
interface Model {
  now: number;
  refilledUntil: number;
  readonly keys: Record<string, PlainKey>;
  /** Uses by owner, name and duration of a limit, and in there by window. */
  readonly uses: Record<string, Record<number, number>>;
}
interface PlainKey extends Settings {
  remaining: number | undefined;
  lastUsedAt: number | undefined;
  /** The last midnight for which it was refilled. */
  refilledAt: number;
}
/** A limit to check, and who uses it. */
interface Counted extends Limit {
  readonly ownerId: string;
  readonly cost: number;
}

const startOfModel = (): Model => ({
  now: NOW,
  refilledUntil: NOW,
  keys: Object.fromEntries(IDS.map((id) => [id, plainKey(start)])),
  uses: {},
});

const plainKey = (settings: Settings, before?: PlainKey): PlainKey => ({
  ...settings,
  remaining: settings.credits?.remaining,
  lastUsedAt: before?.lastUsedAt,
  refilledAt: settings.credits?.refill && before ? before.refilledAt : 0,
});

/** Walks from midnight to midnight. After the clock was set back, it begins there. */
function refill(model: Model): void {
  if (model.now < model.refilledUntil) model.refilledUntil = Math.floor(model.now / DAY) * DAY;
  const refilled = new Set<PlainKey>();
  const refilledBefore = new Map(Object.values(model.keys).map((each) => [each, each.refilledAt]));
  for (; model.refilledUntil + DAY <= model.now; model.refilledUntil += DAY) {
    const midnight = model.refilledUntil + DAY;
    const day = new Date(midnight).getUTCDate();
    const isLastDay = new Date(midnight + DAY).getUTCDate() === 1;
    for (const each of Object.values(model.keys)) {
      const { amount = 0, interval, refillDay = 1 } = each.credits?.refill ?? {};
      const isDue = interval === "daily" || refillDay === day || (isLastDay && refillDay > day);
      if (each.remaining === undefined || !isDue || midnight <= (refilledBefore.get(each) ?? 0))
        continue;
      if (each.remaining < amount) refilled.add(each);
      each.remaining = Math.max(each.remaining, amount);
      // If several refills are due, the last one counts.
      if (refilled.has(each)) each.refilledAt = midnight;
    }
  }
}

/** Verifies a key; undefined if it has no limit of a name that the call sends. */
function verify(model: Model, id: string, cost: number, named: readonly Named[]) {
  refill(model);
  const each = model.keys[id] as PlainKey;
  const limits = each.enabled && !isExpired(model, each) ? limitsOf(each, id, named) : [];
  if (limits === undefined) return undefined;
  each.lastUsedAt = model.now;
  if (!each.enabled) return { code: "DISABLED", remaining: each.remaining };
  if (isExpired(model, each)) return { code: "EXPIRED", remaining: each.remaining };
  const isRefused = limits.some((limit) => isExceeded(model, limit));
  const checked = limits.map((limit) => show(model, limit, isRefused));
  if (isRefused) return { code: "RATE_LIMITED", remaining: each.remaining, limits: checked };
  for (const limit of limits) count(model, limit);
  const { remaining = Infinity } = each;
  if (cost > remaining) return { code: "USAGE_EXCEEDED", remaining, limits: checked };
  if (each.remaining !== undefined) each.remaining -= cost;
  return { code: "VALID", remaining: each.remaining, limits: checked };
}

/** The limits to check, in order; undefined if the call names one that neither the key nor its identity has. */
function limitsOf(each: Settings, id: string, named: readonly Named[]): Counted[] | undefined {
  const own = each.ratelimits.map((limit) => ({ ...limit, ownerId: id, cost: 1 }));
  const shared = [whole, common].map((limit) => ({ ...limit, ownerId: IDENTITY, cost: 1 }));
  const shown = shared.filter(({ name }) => !own.some((limit) => limit.name === name));
  const known = [...shown, ...own];
  const applied = new Map<string, Counted>();
  for (const limit of known) if (limit.autoApply) applied.set(limit.name, limit);
  for (const { cost, duration, limit, name } of named) {
    const configured = known.find((candidate) => candidate.name === name);
    const isAdHoc = limit !== undefined && duration !== undefined;
    if (isAdHoc) applied.set(name, { name, limit, duration, cost, autoApply: false, ownerId: id });
    else if (configured === undefined) return undefined;
    else applied.set(name, { ...configured, cost });
  }
  return [...applied.values()];
}

function isExpired({ now }: Model, { expires }: Settings): boolean {
  return expires !== null && now > expires;
}

/** A limit of 0 refuses even a cost of 0. */
function isExceeded(model: Model, { cost, ...limit }: Counted): boolean {
  return limit.limit === 0 || usesOf(model, limit) + cost > limit.limit;
}

/** A limit as v2 shows it. If any limit refuses, none counts the use. */
function show(model: Model, counted: Counted, isRefused: boolean) {
  const { autoApply, cost, duration, limit, name } = counted;
  const exceeded = isExceeded(model, counted);
  const remaining = exceeded ? 0 : limit - usesOf(model, counted) - (isRefused ? 0 : cost);
  const reset = (windowOf(model, counted) + 1) * duration;
  return { autoApply, duration, exceeded, limit, name, remaining, reset };
}

type Place = Pick<Counted, "ownerId" | "name" | "duration">;

/** The uses that count now: uses of the window before count only for the part that it still covers. */
function usesOf(model: Model, place: Place): number {
  const { duration } = place;
  const window = windowOf(model, place);
  const { [window]: current = 0, [window - 1]: previous = 0 } = countsOf(model, place);
  // In floating point, as the service does.
  const elapsed = Math.max(0, model.now - window * duration) / duration;
  return current + Math.trunc(previous * (1 - elapsed));
}

function count(model: Model, limit: Counted): void {
  const counts = countsOf(model, limit);
  const window = windowOf(model, limit);
  if (limit.cost > 0) counts[window] = (counts[window] ?? 0) + limit.cost;
}

/** After the clock went back, uses count in the last window that has any. */
function windowOf(model: Model, place: Place): number {
  const windows = Object.keys(countsOf(model, place)).map(Number);
  return Math.max(Math.floor(model.now / place.duration), ...windows);
}

function countsOf({ uses }: Model, { duration, name, ownerId }: Place): Record<number, number> {
  return (uses[`${ownerId} ${name} ${duration}`] ??= {});
}

const names = fc.constantFrom("default", "calls", "whole", "other");
const duration = fc.constantFrom(1_000, MINUTE, HOUR);
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const named: fc.Arbitrary<Named> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ name: names, cost: fc.nat(2), limit: fc.nat(4), duration }) },
  { weight: 1, arbitrary: fc.record({ name: names, cost: fc.nat(2), limit: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ name: fc.constantFrom("calls", "whole"), cost: fc.nat(2) }) },
);
const refills: fc.Arbitrary<Refill> = fc.oneof(
  fc.record({ interval: fc.constant("daily" as const), amount: fc.integer({ min: 1, max: 6 }) }),
  fc.record({
    interval: fc.constant("monthly" as const),
    amount: fc.integer({ min: 1, max: 6 }),
    refillDay: fc.constantFrom(1, 15, 28, 29, 30, 31),
  }),
);
const settings: fc.Arbitrary<Settings> = fc.record({
  enabled: fc.constantFrom(true, true, true, false),
  expires: optional(fc.constantFrom(0, 1, MINUTE, DAY).map((offset) => NOW + offset)),
  credits: optional(fc.record({ remaining: fc.nat(4), refill: optional(refills) })),
  ratelimits: fc.uniqueArray(
    fc.record({
      name: names,
      limit: fc.integer({ min: 1, max: 5 }),
      duration,
      autoApply: fc.boolean(),
    }),
    { maxLength: 3, selector: ({ name }) => name },
  ),
});
const move = fc.oneof(
  fc.constantFrom(0, 1, MINUTE, HOUR, DAY, 30 * DAY, 58 * DAY, -1, -MINUTE, -HOUR, -DAY),
  fc.nat(2 * MINUTE),
  fc.nat(70 * DAY),
);
const id = fc.constantFrom(...IDS);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("verify" as const),
      id,
      isV1: fc.boolean(),
      cost: fc.nat(3),
      limits: fc.uniqueArray(named, { maxLength: 2, selector: ({ name }) => name }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("move" as const), by: move }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("update" as const), id, settings }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reset" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("snapshot" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("restore" as const),
      place: fc.nat(9),
      isJson: fc.boolean(),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Play {
  readonly emulator: Emulator;
  model: Model;
  readonly snapshots: { readonly taken: Fixture; readonly model: Model }[];
  /** The outcomes so far. */
  readonly found: Set<string>;
}

async function take(play: Play, each: Step): Promise<void> {
  const { emulator, model, snapshots } = play;
  switch (each.kind) {
    case "verify":
      return expectVerified(play, each);
    case "move":
      model.now = Math.max(NOW - 3 * DAY, model.now + each.by);
      emulator.clock.set(model.now);
      return refill(model);
    case "update": {
      const body = { keyId: each.id, ...each.settings };
      const { status } = await post(emulator, "/v2/keys.updateKey", body, acceptingAll());
      expect(status).toBe(200);
      refill(model);
      model.keys[each.id] = plainKey(each.settings, model.keys[each.id]);
      return undefined;
    }
    case "reset":
      await emulator.reset();
      play.model = startOfModel();
      return undefined;
    case "snapshot":
      return void snapshots.push({ taken: emulator.snapshot(), model: structuredClone(model) });
    case "restore": {
      const found = snapshots[each.place % Math.max(1, snapshots.length)];
      if (found === undefined) return undefined;
      const { taken } = found;
      await emulator.restore(each.isJson ? (JSON.parse(JSON.stringify(taken)) as Fixture) : taken);
      play.model = { ...structuredClone(found.model), now: model.now };
      refill(play.model);
      return undefined;
    }
  }
}

async function expectVerified(
  { emulator, found, model }: Play,
  { cost, id: keyId, isV1, limits }: Extract<Step, { kind: "verify" }>,
): Promise<void> {
  const expected = verify(model, keyId, cost, limits);
  found.add(expected?.code ?? "refused");
  const body = { key: `value of ${keyId}`, ratelimits: limits };
  const answer = isV1
    ? await verifyV1(emulator, { ...body, remaining: { cost } })
    : await verifyV2(emulator, { ...body, credits: { cost } });
  if (expected === undefined) expect(answer.status).toBe(isV1 ? 400 : 412);
  else if (isV1) expect(shownByV1(answer.body)).toEqual(asInV1(expected));
  else expect(shownByV2(answer.body.data)).toEqual(asInV2(expected));
  for (const each of IDS) {
    const { lastUsedAt, remaining } = emulator.keys.get(each) ?? {};
    expect({ lastUsedAt, remaining }).toEqual({
      lastUsedAt: model.keys[each]?.lastUsedAt,
      remaining: model.keys[each]?.remaining,
    });
  }
}

// oxlint-disable-next-line typescript/no-explicit-any
type Anything = any;

const shownByV1 = ({ code, ratelimit, remaining }: Anything) => ({ code, ratelimit, remaining });
const shownByV2 = ({ code, credits, ratelimits }: Anything) => ({
  code,
  credits,
  ratelimits: ratelimits?.map(({ id, ...limit }: Anything) => {
    expect(id).toMatch(limit.autoApply ? /^rl_/ : /^(?:rl_.*)?$/);
    return limit;
  }),
});

type Outcome = NonNullable<ReturnType<typeof verify>>;

function asInV1({ code, limits, remaining }: Outcome) {
  const all = (limits ?? []) as readonly Anything[];
  const shown = all.find(({ exceeded }) => exceeded) ?? all[0];
  const ratelimit = shown && {
    remaining: shown.remaining,
    limit: all.find(({ name }) => name === "default")?.limit,
    reset: shown.reset,
  };
  const isReached = code === "VALID" || code === "USAGE_EXCEEDED";
  return { code, ratelimit, remaining: isReached ? remaining : undefined };
}

function asInV2({ code, limits, remaining }: Outcome) {
  return { code, credits: remaining, ratelimits: limits?.length === 0 ? undefined : limits };
}

test("after any calls, clock moves, resets and restores, verifications answer as a plain model does", async () => {
  const found = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), async (steps) => {
      const emulator = await givenEmulator({ fixtures: [fixture] });
      const play: Play = { emulator, model: startOfModel(), snapshots: [], found };
      for (const each of steps) await take(play, each);
    }),
    { numRuns: 60 },
  );
  // The steps lead to every outcome.
  expect([...found].toSorted()).toEqual([
    "DISABLED",
    "EXPIRED",
    "RATE_LIMITED",
    "USAGE_EXCEEDED",
    "VALID",
    "refused",
  ]);
});

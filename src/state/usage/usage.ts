import * as z from "zod/mini";
import { lazily } from "../../base/lazily.ts";
import { sortedInSteps, STEP, type Steps } from "../../base/steps.ts";
import { type OutcomeCounts, outcomes } from "../../api/outcomes.ts";
import * as f from "../../schema/fields.ts";
import { readOrThrow } from "../../schema/problems.ts";
import type { Key } from "../keys/key.ts";
import { resolveTimes } from "../time/time-text.ts";
import { time } from "../vocabulary.ts";
import type { Clock } from "../time/clock.ts";
import type { ApiSet } from "../records/apis.ts";
import type { Identities } from "../records/identities.ts";
import type { KeySet } from "../keys/key-set.ts";
import type { UsageCounts } from "./usage-counts.ts";
import { DAY } from "../time/refill.ts";
import { UsageError } from "../../base/usage-error.ts";
import { historyOf } from "./history.ts";

export const usageQuery = lazily(() =>
  f.objectOf({
    apiId: f.optional(f.text({ min: 1 }), "Only keys of this API."),
    keyId: f.optional(f.text({ min: 1 }), "Only this key."),
    externalId: f.optional(f.text({ min: 1 }), "Only keys of this owner."),
    days: f.optional(f.integer({ min: 1, max: 90 }), "How many days. Default: 30."),
    until: z.optional(time(ABOUT_UNTIL)),
    by: f.optional(f.choice(["key", "externalId"]), "Also lists who used most: keys, or owners."),
    limit: f.optional(
      f.integer({ min: 1, max: 1_000 }),
      "With `by`: how many to list. Default: 10.",
    ),
  }),
);
/** Which verifications to count. Default: of all keys, in the last 30 days. */
export type UsageQuery = Readonly<z.input<ReturnType<typeof usageQuery>>>;

export const ABOUT_UNTIL = "A time of the last day, like `2026-01-31` or `1d ago`. Default: now.";

const count = lazily(() => f.integer({ min: 0 }));

const counted = lazily(() => ({
  total: f.described(count(), "All verifications, whatever their outcome."),
  outcomes: f.typed<OutcomeCounts>(
    f.component(
      "Outcomes",
      "The number of verifications with each outcome.",
      Object.fromEntries(outcomes.map((outcome) => [outcome, z.optional(count())])),
    ),
  ),
}));

const usageOfDay = lazily(() =>
  f.component("UsageOfDay", "The verifications of a day.", {
    day: f.described(f.text(), "Like `2026-01-31`, in UTC."),
    ...counted(),
  }),
);

const usageOfGroup = lazily(() =>
  f.component("UsageOfGroup", "The verifications of a key, or of all keys of an owner.", {
    keyId: f.optional(f.text(), "With `by=key`: the id of the key."),
    externalId: f.optional(f.text(), "The owner; absent for keys without one."),
    name: f.optional(
      f.text(),
      "The name of the key, or the `name` in the `meta` of the owner's identity.",
    ),
    keys: f.described(count(), "How many keys were used."),
    ...counted(),
  }),
);

export const usage = lazily(() =>
  f.component("Usage", "How often keys were verified.", {
    days: f.described(
      f.listOf(usageOfDay(), "days"),
      "Each day, the oldest first, also those without a verification.",
    ),
    groups: f.optional(
      f.listOf(usageOfGroup(), "groups"),
      "With `by`: who used most, the busiest first.",
    ),
    ...counted(),
  }),
);
/** How often keys were verified. */
export type Usage = f.ShownBy<typeof usage>;
/** The verifications of a day. */
export type UsageOfDay = f.ShownBy<typeof usageOfDay>;
/** The verifications of a key, or of all keys of an owner. */
export type UsageOfGroup = f.ShownBy<typeof usageOfGroup>;
/** Verifications, by their outcomes. */
export type Counted = Pick<Usage, "total" | "outcomes">;

/** The parts of a workspace that usage is counted from. */
interface Content {
  readonly apis: ApiSet;
  readonly identities: Identities;
  readonly keys: KeySet;
  readonly clock: Clock;
  readonly usage: UsageCounts;
}

const [DEFAULT_DAYS, DEFAULT_LIMIT] = [30, 10];

interface Sum {
  total: number;
  readonly outcomes: OutcomeCounts;
}

type Group = Sum & { keys: number } & Omit<UsageOfGroup, keyof Counted | "keys">;

/**
 * How often keys were verified, by day and outcome: the history of generated keys, and what was counted.
 * @throws UsageError for an invalid query, and for an API, a key or an owner that does not exist: a test
 *   that expects no verification would pass by mistake
 */
export function* usageOf(workspace: Content, given: UsageQuery): Steps<Usage> {
  const now = workspace.clock.now();
  const query = readOrThrow(usageQuery(), given, "usage", (read) => resolveTimes(read, now));
  const { by, days: length = DEFAULT_DAYS, limit = DEFAULT_LIMIT, until = now } = query;
  const first = Math.floor(until / DAY) - length + 1;
  const days = Array.from({ length }, noSum);
  const groups = new Map<string | undefined, Group>();
  for (const keys of pagesOf(workspace, query)) {
    for (const key of keys) {
      const sum = addDays(workspace, key, first, days);
      if (by !== undefined && sum.total > 0) addToGroup(workspace, groups, by, key, sum);
    }
    yield;
  }
  const all = noSum();
  for (const sum of days) add(all, sum.outcomes);
  const ofDays = days.map((sum, index) => ({ day: toDate(first + index), ...sum }));
  const ranked = yield* sortedInSteps(
    Array.from(groups.values(), (group, place) => ({ group, place })),
    // Equal ones keep their order.
    (a, b) =>
      a.group.total < b.group.total || (a.group.total === b.group.total && a.place > b.place),
  );
  const most = ranked.slice(0, limit).map(({ group }) => group);
  return { ...all, days: ofDays, ...(by !== undefined && { groups: most }) };
}

/** The verifications of a key on each of the last 30 days, the oldest day first. */
export function dailyUses(workspace: Content, key: Key): readonly number[] {
  const today = Math.floor(workspace.clock.now() / DAY);
  const days = Array.from({ length: DEFAULT_DAYS }, noSum);
  addDays(workspace, key, today - DEFAULT_DAYS + 1, days);
  return days.map(({ total }) => total);
}

function addDays({ usage }: Content, key: Key, first: number, days: readonly Sum[]): Sum {
  const history = historyOf(key);
  const sum = noSum();
  days.forEach((ofDay, index) => {
    const day = first + index;
    for (const counts of [history?.(day), usage.on(day, key.id)]) {
      if (counts === undefined) continue;
      add(ofDay, counts);
      add(sum, counts);
    }
  });
  return sum;
}

function addToGroup(
  { identities }: Content,
  groups: Map<string | undefined, Group>,
  by: NonNullable<UsageQuery["by"]>,
  { id, identityId, name: ofKey, ownerId: externalId }: Key,
  sum: Sum,
): void {
  const place = by === "key" ? id : externalId;
  let group = groups.get(place);
  if (group === undefined) {
    const ofOwner = identities.get(identityId)?.meta["name"];
    const name = by === "key" ? ofKey : typeof ofOwner === "string" ? ofOwner : undefined;
    group = { ...(by === "key" && { keyId: id }), externalId, name, keys: 0, ...noSum() };
    groups.set(place, group);
  }
  group.keys += 1;
  add(group, sum.outcomes);
}

function* pagesOf(
  workspace: Content,
  { apiId, externalId, keyId }: UsageQuery,
): Generator<readonly Key[], void, undefined> {
  const { apis, identities, keys } = workspace;
  if (apiId !== undefined && apis.get(apiId) === undefined) throw refusal("apiId", "an API");
  if (keyId !== undefined) {
    const key = keys.get(keyId);
    if (key === undefined) throw refusal("keyId", "a key");
    const isMeant =
      key.apiId === (apiId ?? key.apiId) && key.ownerId === (externalId ?? key.ownerId);
    if (isMeant) yield [key];
    return;
  }
  const owner = externalId === undefined ? {} : { ownerId: externalId };
  const filters = apis.all().map(({ id }) => ({ apiId: id, ...owner }));
  if (externalId !== undefined && identities.named(externalId) === undefined) {
    if (filters.every((filter) => keys.countOf(filter) === 0)) {
      throw new UsageError("usage: externalId: expected the external id of an owner of keys");
    }
  }
  for (const filter of filters.filter((each) => each.apiId === (apiId ?? each.apiId))) {
    let page: readonly Key[];
    let last = "";
    do {
      page = keys.page(filter, { keyId: last, isInclusive: false }, STEP);
      last = page.at(-1)?.id ?? "";
      yield page;
    } while (page.length === STEP);
  }
}

function refusal(member: string, noun: string): UsageError {
  return new UsageError(`usage: ${member}: expected the id of ${noun}`);
}

function noSum(): Sum {
  return { total: 0, outcomes: {} };
}

function add(sum: Sum, counts: OutcomeCounts): void {
  for (const outcome of outcomes) {
    const count = counts[outcome] ?? 0;
    if (count === 0) continue;
    sum.total += count;
    sum.outcomes[outcome] = (sum.outcomes[outcome] ?? 0) + count;
  }
}

function toDate(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

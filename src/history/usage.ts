import type { Steps } from "../base/steps.ts";
import { outcomes, type OutcomeCounts } from "../contract/outcomes.ts";
import { readOrThrow } from "../schema/read-or-throw.ts";
import type { Key } from "../store/key.ts";
import type { Workspace } from "../store/workspace.ts";
import { DAY } from "../usage/refill.ts";
import { UsageError } from "../usage-error.ts";
import { historyOf } from "./made-up.ts";
import { usageQuery, type UsageQuery } from "./usage-query.ts";

/** Verifications, by their outcomes. */
export interface Counted {
  /** All of them, whatever their outcome. */
  readonly total: number;
  /** How often each outcome came. */
  readonly outcomes: OutcomeCounts;
}

/** The verifications of a day. */
export interface UsageOfDay extends Counted {
  /** Like `2026-01-31`, in UTC. */
  readonly day: string;
}

/** The verifications of a key, or of all keys of an owner. */
export interface UsageOfGroup extends Counted {
  /** With `by: "key"`: the id of the key. */
  readonly keyId?: string | undefined;
  /** The owner; absent for keys without one. */
  readonly externalId?: string | undefined;
  /** The name of the key, or the `name` in the `meta` of the owner's identity. */
  readonly name?: string | undefined;
  /** How many keys were used. */
  readonly keys: number;
}

/** How often keys were verified. */
export interface Usage extends Counted {
  /** Each day, the oldest first, also those without a verification. */
  readonly days: readonly UsageOfDay[];
  /** With `by`: who used most, the busiest first. */
  readonly groups?: readonly UsageOfGroup[] | undefined;
}

/** How many keys are looked at in one step. */
const STEP = 200;
const [DEFAULT_DAYS, DEFAULT_LIMIT] = [30, 10];

/** Verifications that are being added up. */
interface Sum {
  total: number;
  readonly outcomes: OutcomeCounts;
}

type Group = Sum & { keys: number } & Omit<UsageOfGroup, keyof Counted | "keys">;

/**
 * How often keys were verified, by day and outcome: the history of made-up keys, and what was counted.
 * @throws UsageError for an invalid query, and for an API, a key or an owner that does not exist: a test
 *   that expects no verification would pass by mistake
 */
export function* usageOf(workspace: Workspace, given: UsageQuery): Steps<Usage> {
  const now = workspace.clock.now();
  const query = readOrThrow(usageQuery(), given, "usage", undefined, { now });
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
  const most = [...groups.values()].sort((a, b) => b.total - a.total).slice(0, limit);
  return { ...all, days: ofDays, ...(by !== undefined && { groups: most }) };
}

/** Adds the verifications of a key to the sums of the days, and returns the sum of them. */
function addDays({ usage }: Workspace, key: Key, first: number, days: readonly Sum[]): Sum {
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
  { identities }: Workspace,
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

/** The keys of the query, in parts. */
function* pagesOf(
  workspace: Workspace,
  { apiId, externalId, keyId }: UsageQuery,
): Generator<readonly Key[], void, undefined> {
  const { apis, identities, keys } = workspace;
  if (apiId !== undefined && apis.get(apiId) === undefined) throw refusal("apiId", "an API");
  if (keyId !== undefined) {
    const key = keys.get(keyId);
    if (key === undefined) throw refusal("keyId", "a key");
    const isMeant =
      key.apiId === (apiId ?? key.apiId) && key.ownerId === (externalId ?? key.ownerId);
    return yield isMeant ? [key] : [];
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

/** Like `2026-01-31`. */
function toDate(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

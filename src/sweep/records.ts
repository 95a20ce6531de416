import { grouped } from "../base/grouped.ts";
import type { Emulator } from "../emulator/emulator.ts";
import type { Fixture } from "../seed/format.ts";
import { kinds } from "../state/kinds.ts";
import { comparedKinds, type Names } from "./names.ts";

/** A record that can be used, reduced to what is comparable between runs. */
export interface UsableRecord {
  readonly id: string;
  readonly kind: (typeof comparedKinds)[number];
  /** The name of the record; the external id of an identity. */
  readonly title: string | undefined;
  /** The external id of the owner of a key. */
  readonly owner: string | undefined;
  /** The workspace of the record, and the API of a key. */
  readonly place: string;
  /** Values by their paths. Generated ids are replaced, and generated key values are left out. */
  readonly members: ReadonlyMap<string, unknown>;
}

const ID = /^(?:key|id|role|perm|api|ks|rlns|rlor)_\w+$/;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const [FIRST_TIME, LAST_TIME] = [1e12, 1e13];

/** `keys.rerollKey` rounds the expiry of the old key up to a full minute (ms). */
const MINUTE = 60_000;

class Moment {
  /** Unix milliseconds, and milliseconds since the start of the run. */
  readonly at: number;
  readonly after: number;
  /** Whether the time is within the run: then the emulator set it, and it is ignored. */
  readonly isNow: boolean;

  constructor(at: number, { reallyStartedAt, startedAt }: Names, now: number) {
    this.at = at;
    this.after = at - reallyStartedAt;
    this.isNow = at >= startedAt && at <= now;
  }

  /** The same text for every time, because times differ between runs. */
  toJSON(): string {
    return "a time";
  }
}

/** The records of a state, without keys that are deleted, disabled or expired. */
export function recordsIn(
  emulator: Emulator,
  names: Names,
  { workspaces = [], ...first }: Fixture = emulator.snapshot(),
): UsableRecord[] {
  const now = emulator.clock.now();
  const comparable = (value: unknown): unknown => {
    const time = typeof value === "string" && ISO_TIME.test(value) ? Date.parse(value) : value;
    if (typeof time === "number" && time >= FIRST_TIME && time < LAST_TIME)
      return new Moment(time, names, now);
    if (typeof value !== "string") return value;
    // An id that no record has belongs to a part of a record.
    return names.find(value)?.label ?? (ID.test(value) ? "*" : value);
  };
  const toUsable = (kind: UsableRecord["kind"], record: unknown, workspace = "") => {
    // The value of a key never changes, and a new key has a generated value.
    const { hash: _, key: __, start: ___, ...rest } = Object(record);
    const { apiId = "", deleted, enabled, expires, externalId, id, name } = rest;
    if (deleted === true || enabled === false || (expires ?? Infinity) <= now) return [];
    const title: string | undefined = name ?? (kind === "identities" ? externalId : undefined);
    const owner: string | undefined = kind === "keys" ? externalId || undefined : undefined;
    const members = new Map(valuesOf(rest).map(([path, value]) => [path, comparable(value)]));
    const place = `${workspace}/${String(comparable(apiId))}`;
    return [{ id, kind, title, owner, place, members }];
  };
  return [first, ...workspaces].flatMap((fixture) =>
    comparedKinds.flatMap((kind) =>
      (fixture[kind] ?? []).flatMap((record) => toUsable(kind, record, fixture.workspace?.id)),
    ),
  );
}

function valuesOf(value: unknown, path = ""): [path: string, value: unknown][] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, member]) =>
    valuesOf(member, path === "" ? name : `${path}.${name}`),
  );
}

/** The name of a record, and its owner. */
export function namesIn({ owner, title }: UsableRecord): string[] {
  return [title, owner].flatMap((text) => text ?? []);
}

/** One fact that runs are compared by: how many records have a name, or the value of a member. */
interface Fact {
  /** The kind, name, owner and place of the records. */
  readonly group: string;
  readonly record: UsableRecord;
  /** The path of the member; empty for the number of records. */
  readonly path: string;
  readonly value: unknown;
}

/** Compares records to those of a run without a fault. Ignores what differs between two such runs. */
export class Comparison {
  readonly #expected: readonly UsableRecord[];
  /** Names and owners that do not change from run to run. */
  readonly #known: ReadonlySet<string>;
  readonly #ignored: ReadonlySet<string>;

  /**
   * @param tolerance how much times may differ (ms)
   * @param known names and owners that do not change, beside those that both runs end with
   */
  constructor(
    first: readonly UsableRecord[],
    second = first,
    tolerance = 0,
    known: readonly string[] = [],
  ) {
    this.#expected = first;
    const others = new Set(second.flatMap(namesIn));
    this.#known = new Set([...known, ...first.flatMap(namesIn).filter((one) => others.has(one))]);
    const found = this.#compare(second, tolerance);
    this.#ignored = new Set(found.map(({ group, path }) => `${group}/${path}`));
  }

  /** How the records that were found differ from those of the first run. */
  differences(found: readonly UsableRecord[], tolerance: number) {
    const isIgnored = (group: string, path: string) => this.#ignored.has(`${group}/${path}`);
    return this.#compare(found, tolerance).filter(
      ({ group, path }) => !isIgnored(group, path) && !isIgnored(group, ""),
    );
  }

  /** Like `key "main" of user_9`, without names that differ from run to run. */
  nameOf({ kind, owner, title }: UsableRecord, count = 1): string {
    const noun = count === 1 ? kinds[kind].noun : kinds[kind].plural;
    const isKnown = (text?: string) => text !== undefined && this.#known.has(text);
    const name = isKnown(title) ? ` ${JSON.stringify(title)}` : "";
    return noun + name + (isKnown(owner) ? ` of ${owner}` : "");
  }

  #factsOf(records: readonly UsableRecord[]): Map<string, Fact> {
    const facts = new Map<string, Fact>();
    const groupOf = (record: UsableRecord) =>
      `${comparedKinds.indexOf(record.kind)} ${this.nameOf(record)} in ${record.place}`;
    for (const [group, own] of grouped(records, groupOf)) {
      const about = { group, record: own[0] as UsableRecord };
      facts.set(group, { ...about, path: "", value: own.length });
      for (const [index, { members }] of own.toSorted(byText).entries())
        for (const [path, value] of members)
          facts.set(`${group}/${index}/${path}`, { ...about, path, value });
    }
    return facts;
  }

  #compare(found: readonly UsableRecord[], tolerance: number) {
    const [was, is] = [this.#factsOf(this.#expected), this.#factsOf(found)];
    const places = [...new Set([...was.keys(), ...is.keys()])].toSorted();
    return places.flatMap((place) => {
      const { group, path, record } = (was.get(place) ?? is.get(place)) as Fact;
      const [before, after] = [was.get(place)?.value, is.get(place)?.value];
      if (isEqual(before, after, tolerance)) return [];
      const [count = 0, usual = 0] = [after, before] as (number | undefined)[];
      const change =
        path === "id"
          ? "as a different record"
          : `with ${path} ${textOf(after)} instead of ${textOf(before)}`;
      const phrase =
        path === ""
          ? `${count || "no"} ${this.nameOf(record, count)} instead of ${usual || "none"}`
          : `the ${this.nameOf(record)} ${change}`;
      return [{ group, path, phrase, isLess: Number(after) < Number(before) }];
    });
  }
}

type Difference = ReturnType<Comparison["differences"]>[number];
/** How many differences a sentence names. */
const MAX_SHOWN = 3;

/** The first difference of each group of records, to follow the verb `leaves`. */
export function summarize(differences: readonly Difference[]): string {
  const groups = grouped(differences, ({ group }) => group);
  const phrases = [...groups.values()].map(([first]) => first?.phrase);
  return phrases.slice(0, MAX_SHOWN).join(", ");
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? "unset";
}

/** Sorts records of one name in a way that does not depend on ids and times. */
function byText(a: UsableRecord, b: UsableRecord): number {
  return textOf([...a.members]) < textOf([...b.members]) ? -1 : 1;
}

function isEqual(before: unknown, after: unknown, tolerance: number): boolean {
  const moments = [before, after].filter((value) => value instanceof Moment);
  if (Object.is(before, after) || moments.some(({ isNow }) => isNow)) return true;
  const [one, other] = moments;
  if (one === undefined || other === undefined) return false;
  const allowed = tolerance + (moments.every(({ at }) => at % MINUTE === 0) ? MINUTE : 0);
  return [one.at - other.at, one.after - other.after].some((away) => Math.abs(away) <= allowed);
}

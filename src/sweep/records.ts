import type { Emulator } from "../emulator/emulator.ts";
import type { Fixture } from "../seed/format.ts";
import type { Names } from "./calls.ts";

/** A record that can be used, as far as two runs can be compared. */
export interface UsableRecord {
  readonly id: string;
  readonly kind: Kind;
  /** Its name; of an identity, the external id. */
  readonly title: string | undefined;
  /** The external id of the owner of a key. */
  readonly owner: string | undefined;
  /** The workspace, and of a key the API, in which it is. */
  readonly place: string;
  /** The values in it by their paths, without ids and values that a run has made. */
  readonly members: ReadonlyMap<string, unknown>;
}

/**
 * The kinds of records, the most telling first: the list in a snapshot, and the words for one and for
 * several.
 */
const kinds = {
  keys: ["key", "keys"],
  identities: ["identity", "identities"],
  apis: ["API", "APIs"],
  permissions: ["permission", "permissions"],
  ratelimitNamespaces: ["namespace", "namespaces"],
  roles: ["role", "roles"],
} as const;
type Kind = keyof typeof kinds;

/** When something happened, in milliseconds by the emulator's clock, and after the start of its run. */
class Moment {
  readonly at: number;
  readonly after: number;

  constructor(at: number, startedAt: number) {
    this.at = at;
    this.after = at - startedAt;
  }

  /** The same text in each run. */
  toJSON(): string {
    return "a time";
  }
}

/** A moment within a run. Whether the emulator notes one says nothing of what a program asked for. */
const NOW = Symbol("now");
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const [FIRST_TIME, LAST_TIME] = [1e12, 1e13];

/** The records of a state that can be used: no key that is disabled or expired. */
export function recordsIn(
  emulator: Emulator,
  names: Names,
  { workspaces = [], ...first }: Fixture = emulator.snapshot(),
): UsableRecord[] {
  const records: UsableRecord[] = [];
  const { startedAt } = names;
  const now = emulator.clock.now();
  const plain = (value: unknown): unknown => {
    const time = typeof value === "string" && ISO_TIME.test(value) ? Date.parse(value) : value;
    if (typeof time === "number" && time >= FIRST_TIME && time < LAST_TIME)
      return time >= startedAt && time <= now ? NOW : new Moment(time, startedAt);
    return typeof value === "string" ? names.plainMember(value) : value;
  };
  for (const fixture of [first, ...workspaces]) {
    for (const kind of Object.keys(kinds) as Kind[]) {
      for (const record of fixture[kind] ?? []) {
        // The value of a key never changes, and that of a new key is made up.
        const {
          hash: _,
          key: __,
          start: ___,
          ...rest
        } = record as Readonly<Record<string, unknown>>;
        const { apiId = "", deleted, enabled, expires, externalId, id, name } = Object(rest);
        if (deleted === true || enabled === false || (expires ?? Infinity) <= now) continue;
        const title = name ?? (kind === "identities" ? externalId : undefined);
        const owner = kind === "keys" ? externalId || undefined : undefined;
        const place = `${fixture.workspace?.id ?? ""}/${names.plainMember(apiId)}`;
        const members = new Map(valuesOf(rest).map(([path, value]) => [path, plain(value)]));
        records.push({ id, kind, title, owner, place, members });
      }
    }
  }
  return records;
}

function valuesOf(value: unknown, path = ""): [path: string, value: unknown][] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, member]) =>
    valuesOf(member, path === "" ? name : `${path}.${name}`),
  );
}

interface Difference {
  /** The records that it is about: their kind, name and owner. */
  readonly group: string;
  /** The member that differs; empty if the number of records does. */
  readonly path: string;
  readonly phrase: string;
}

/** Compares the records of runs by what two runs without a fault have in common. */
export class Comparison {
  /** Names and owners that both runs have. */
  readonly #known: ReadonlySet<string>;
  readonly #skipped: ReadonlySet<string>;
  /** The records of which the two runs have other numbers, like `key "main"`. */
  readonly uneven: readonly string[];

  /** @param slack how many milliseconds times may differ */
  constructor(first: readonly UsableRecord[], second: readonly UsableRecord[], slack: number) {
    const textsOf = ({ owner, title }: UsableRecord) => [`title ${title}`, `owner ${owner}`];
    const other = new Set(second.flatMap(textsOf));
    this.#known = new Set(first.flatMap(textsOf).filter((text) => other.has(text)));
    const found = this.#compare(first, second, slack);
    this.#skipped = new Set(found.map(({ group, path }) => `${group}/${path}`));
    const counts = found.filter(({ path }) => path === "");
    this.uneven = counts.map(({ phrase }) => phrase.replace(/^\S+ (.*) instead of .*/, "$1"));
  }

  /** How records differ from those expected, in phrases that follow `leaves`; none if they are alike. */
  differences(
    expected: readonly UsableRecord[],
    found: readonly UsableRecord[],
    slack: number,
    ignoresCredits = false,
  ): string[] {
    const all = this.#compare(expected, found, slack).filter(
      ({ group, path }) =>
        !(ignoresCredits && path === "remaining") &&
        !["", path].some((skipped) => this.#skipped.has(`${group}/${skipped}`)),
    );
    const isFirst = ({ group }: Difference, index: number) =>
      all.findIndex((each) => each.group === group) === index;
    return all.filter(isFirst).map(({ phrase }) => phrase);
  }

  /** Whether a key has fewer credits than expected. */
  areCreditsTaken(expected: readonly UsableRecord[], found: readonly UsableRecord[]): boolean {
    const creditsOf = (records: readonly UsableRecord[], group: string) => {
      const own = records.filter((record) => this.#groupOf(record) === group);
      return own.reduce((sum, { members }) => sum + Number(members.get("remaining") ?? 0), 0);
    };
    const isLess = (group: string) => creditsOf(found, group) < creditsOf(expected, group);
    return expected.map((record) => this.#groupOf(record)).some(isLess);
  }

  /** Like `the key "main" of user_9`, without names that differ from run to run. */
  nameOf(record: UsableRecord): string {
    return `the ${kinds[record.kind][0]}${this.#labelOf(record)}`;
  }

  #labelOf({ owner, title }: UsableRecord): string {
    const isKnown = (text: string) => this.#known.has(text);
    const name =
      isKnown(`title ${title}`) && title !== undefined ? ` ${JSON.stringify(title)}` : "";
    return isKnown(`owner ${owner}`) && owner !== undefined ? `${name} of ${owner}` : name;
  }

  #groupOf(record: UsableRecord): string {
    const order = Object.keys(kinds).indexOf(record.kind);
    return `${order}${this.#labelOf(record)} in ${record.place}`;
  }

  #compare(
    expected: readonly UsableRecord[],
    found: readonly UsableRecord[],
    slack: number,
  ): Difference[] {
    const groups = new Set([...expected, ...found].map((record) => this.#groupOf(record)));
    return [...groups].toSorted().flatMap((group) => {
      const [was, is] = [expected, found].map((records) =>
        inOrder(records.filter((record) => this.#groupOf(record) === group)),
      ) as [UsableRecord[], UsableRecord[]];
      const [any] = [...was, ...is] as [UsableRecord];
      if (is.length !== was.length) {
        const noun = kinds[any.kind][is.length === 1 ? 0 : 1] + this.#labelOf(any);
        const phrase = `${is.length || "no"} ${noun} instead of ${was.length || "none"}`;
        return [{ group, path: "", phrase }];
      }
      return is.flatMap((record, index) => {
        const former = was[index]?.members ?? new Map<string, unknown>();
        const paths = new Set([...former.keys(), ...record.members.keys()]);
        return [...paths].flatMap((path) => {
          const [before, after] = [former.get(path), record.members.get(path)];
          if (isAlike(before, after, slack)) return [];
          const change = `${path} ${textOf(after)} instead of ${textOf(before)}`;
          const phrase = `${this.nameOf(record)} ${path === "id" ? idChange(after) : `with ${change}`}`;
          return [{ group, path, phrase }];
        });
      });
    });
  }
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? "unset";
}

/** For the name in place of an id. */
function idChange(after: unknown): string {
  return String(after).startsWith("new ")
    ? "as a new one instead of the former one"
    : "as it was instead of a new one";
}

/** Records of one name in an order that does not depend on ids and times. */
function inOrder(records: readonly UsableRecord[]): UsableRecord[] {
  const text = ({ members }: UsableRecord) =>
    JSON.stringify([...members].filter(([, value]) => !(value instanceof Moment)));
  return records.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}

function isAlike(before: unknown, after: unknown, slack: number): boolean {
  if (Object.is(before, after) || before === NOW || after === NOW) return true;
  if (!(before instanceof Moment && after instanceof Moment)) return false;
  const away = [before.at - after.at, before.after - after.after];
  return away.some((distance) => Math.abs(distance) <= slack);
}

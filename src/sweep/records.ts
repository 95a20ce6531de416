import type { Emulator } from "../emulator/emulator.ts";
import type { Fixture } from "../seed/format.ts";

/** A record that can be used, as far as two runs can be compared. */
export interface UsableRecord {
  readonly id: string;
  readonly kind: Kind;
  /** Like ` "main" of user_9`; empty for a record without name and owner. */
  readonly label: string;
  /** The members that are compared. */
  readonly members: Readonly<Record<string, unknown>>;
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

/** Members that differ from run to run: ids, values, times, and members that may contain a time. */
const IGNORED =
  /^(?:id|identityId|keyspaceId|key|start|hash|recoverable|meta|history|expires|\w+At)$/;

/** The records of a state that can be used: no key that is disabled or expired. */
export function recordsIn(
  emulator: Emulator,
  { workspaces = [], ...first }: Fixture = emulator.snapshot(),
): UsableRecord[] {
  const records: UsableRecord[] = [];
  const now = emulator.clock.now();
  for (const fixture of [first, ...workspaces]) {
    const apis = new Map(fixture.apis?.map(({ id, name }) => [id, name] as const));
    const toComparable = (member: string, value: unknown) => {
      if (IGNORED.test(member)) return undefined;
      return member === "apiId" ? (apis.get(value as string) ?? value) : value;
    };
    for (const kind of Object.keys(kinds) as Kind[]) {
      for (const record of fixture[kind] ?? []) {
        const { deleted, enabled, expires, externalId, id, name } = Object(record);
        if (deleted === true || enabled === false || (expires ?? Infinity) <= now) continue;
        const title = name ?? (kind === "identities" ? externalId : undefined);
        const owner = kind === "keys" && externalId ? ` of ${externalId}` : "";
        const label = `${title === undefined ? "" : ` ${JSON.stringify(title)}`}${owner}`;
        const members = JSON.parse(JSON.stringify(record, toComparable));
        records.push({ id, kind, label: emulator.mask(label), members });
      }
    }
  }
  return records;
}

/** Like `the key "main" of user_9`. */
export function nameOf({ kind, label }: UsableRecord): string {
  return `the ${kinds[kind][0]}${label}`;
}

/** How two runs can be compared: by all members, or by the number of records of each kind. */
export type Comparison = "members" | "numbers";

/** How records differ from those expected, in phrases that follow `leaves`; none if they are alike. */
export function differences(
  expected: readonly UsableRecord[],
  found: readonly UsableRecord[],
  by: Comparison = "members",
  ignoresCredits = false,
): string[] {
  const groupOf = ({ kind, label }: UsableRecord) => kind + (by === "members" ? label : "");
  const inOrder = Object.keys(kinds);
  const byKind = (a: UsableRecord, b: UsableRecord) =>
    inOrder.indexOf(a.kind) - inOrder.indexOf(b.kind) || (a.label < b.label ? -1 : 1);
  const names = new Set([...expected, ...found].toSorted(byKind).map(groupOf));
  return [...names].flatMap((name) => {
    const was = expected.filter((record) => groupOf(record) === name);
    const is = found.filter((record) => groupOf(record) === name);
    const [{ kind, label }] = [...was, ...is] as [UsableRecord];
    const noun = kinds[kind][is.length === 1 ? 0 : 1] + (by === "members" ? label : "");
    if (is.length !== was.length)
      return `${is.length || "no"} ${noun} instead of ${was.length || "none"}`;
    return by === "members" ? changesOf(was, is, ignoresCredits) : [];
  });
}

/** The first record of a group that is not as it was, member by member. */
function changesOf(
  was: readonly UsableRecord[],
  is: readonly UsableRecord[],
  ignoresCredits: boolean,
): string[] {
  const text = (value: unknown) => JSON.stringify(value) ?? "unset";
  const inOrder = (records: readonly UsableRecord[]) =>
    records.toSorted((a, b) => (text(a.members) < text(b.members) ? -1 : 1));
  const former = inOrder(was).map(({ members }) => members);
  const found = inOrder(is).map((record, index) => {
    const { members } = record;
    const before = former[index] ?? {};
    const changes = Object.keys({ ...before, ...members })
      .filter((name) => !(ignoresCredits && name === "remaining"))
      .filter((name) => text(members[name]) !== text(before[name]))
      .map((name) => `${name} ${text(members[name])} instead of ${text(before[name])}`);
    return changes.length > 0 && `${nameOf(record)} with ${changes.join(" and ")}`;
  });
  return found.filter((change) => change !== false).slice(0, 1);
}

import type { ChangeOfSet } from "./record-set.ts";

/** Names that no record has any more, each with the new name of its record; undefined if it is gone. */
export type Renames = ReadonlyMap<string, string | undefined>;

/** The names that a change of records takes away, by deleting or renaming them. */
export function renamesOf<Name extends string>(
  member: Name,
  { before, after, deleted = [] }: ChangeOfSet<Readonly<Record<Name, string>>>,
): Renames {
  const renames = new Map<string, string | undefined>(
    deleted.map((item) => [item[member], undefined]),
  );
  if (before !== undefined && before[member] !== after?.[member]) {
    renames.set(before[member], after?.[member]);
  }
  return renames;
}

/** The names after renames; undefined if they stay the same. */
export function renamed(names: readonly string[], renames: Renames): string[] | undefined {
  if (!names.some((name) => renames.has(name))) return undefined;
  return names.flatMap((name) => (renames.has(name) ? (renames.get(name) ?? []) : name));
}

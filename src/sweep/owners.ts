import type { UsableRecord } from "./records.ts";

/** How many keys that work each owner has, in one API. */
type Counts = ReadonlyMap<string, number>;

interface Cut {
  /** The owners whose keys have changed without a call; undefined for a reset or a mark. */
  readonly owners: ReadonlySet<string> | undefined;
  readonly before: Counts;
  readonly after: Counts;
}

/**
 * The keys of each owner in a run. What is put in without a call, like a `seed`, a reset and a mark cut
 * the run into stretches: only between two of them the program decides.
 */
export class Owners {
  readonly #cuts: Cut[] = [];
  #cutsBeforeTarget = 0;
  #end: Counts = new Map();

  constructor(start: readonly UsableRecord[]) {
    this.cut([], start);
  }

  cut(before: readonly UsableRecord[], after: readonly UsableRecord[], owners?: Set<string>): void {
    this.#cuts.push({ owners, before: countsOf(before), after: countsOf(after) });
  }

  /** Notes a change that no call made, and returns the records that it added, changed or removed. */
  change(before: readonly UsableRecord[], after: readonly UsableRecord[]): UsableRecord[] {
    const text = ({ members }: UsableRecord) => JSON.stringify([...members]);
    const without = (all: readonly UsableRecord[], others: readonly UsableRecord[]) => {
      const known = new Map(others.map((record) => [record.id, text(record)]));
      return all.filter((record) => known.get(record.id) !== text(record));
    };
    const changed = [...without(before, after), ...without(after, before)];
    this.cut(before, after, new Set(changed.flatMap(ownerOf)));
    return changed;
  }

  /** Notes that the call of the case has come. */
  reach(): void {
    this.#cutsBeforeTarget = this.#cuts.length;
  }

  end(records: readonly UsableRecord[]): void {
    this.#end = countsOf(records);
  }

  /**
   * The first owner who has fewer keys that work than at the start of the stretch in which the call of
   * the case came, and than at the end of this stretch in a run without a fault.
   */
  lost(usual: Owners): { owner: string; had: number; has: number } | undefined {
    const all = new Set(this.#cuts.flatMap(({ after }) => [...after.keys()]));
    for (const owner of all) {
      const number = this.#of(owner, this.#cuts.slice(0, this.#cutsBeforeTarget)).length;
      const had = this.#of(owner)[number - 1]?.after.get(owner) ?? 0;
      const has = this.#endOf(owner, number);
      if (has < Math.min(had, usual.#endOf(owner, number))) return { owner, had, has };
    }
    return undefined;
  }

  #of(owner: string, cuts = this.#cuts): Cut[] {
    return cuts.filter(({ owners }) => owners?.has(owner) ?? true);
  }

  #endOf(owner: string, number: number): number {
    return (this.#of(owner)[number]?.before ?? this.#end).get(owner) ?? 0;
  }
}

function countsOf(records: readonly UsableRecord[]): Counts {
  const counts = new Map<string, number>();
  for (const owner of records.flatMap(ownerOf)) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return counts;
}

/** A key without an owner is for itself. */
function ownerOf({ id, kind, owner, place, title }: UsableRecord): string[] {
  if (kind !== "keys") return [];
  return [JSON.stringify(owner === undefined ? [place, "", title ?? id] : [place, owner])];
}

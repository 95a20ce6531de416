import { grouped } from "../base/grouped.ts";
import type { UsableRecord } from "./records.ts";

/** A point in a run where records change without a call. What a program lost is judged between two of them. */
export interface Checkpoint {
  /** A run begins and ends with a `reset`. A `seed` counts only for the owners whose keys it changes. */
  readonly by: "reset" | "mark" | "seed";
  /** How many calls came before it. */
  readonly calls: number;
  readonly before: readonly UsableRecord[];
  readonly after: readonly UsableRecord[];
}

/**
 * The first owner who has fewer working keys in one API than at the last checkpoint before a call, and
 * than at the next checkpoint of the run without a fault.
 * @param place how many calls came before this one
 */
export function lossIn(
  checkpoints: readonly Checkpoint[],
  usual: readonly Checkpoint[],
  place: number,
) {
  const [found, expected] = [checkpoints.map(byOwner), usual.map(byOwner)];
  for (const owner of new Set(found.flatMap(({ after }) => [...after.keys()]))) {
    const concernsOwner = ({ after, before, by }: ReturnType<typeof byOwner>) =>
      by !== "seed" || textOf(before.get(owner)) !== textOf(after.get(owner));
    const own = found.filter(concernsOwner);
    const last = own.findLastIndex(({ calls }) => calls <= place);
    const next = expected
      .filter(concernsOwner)
      .slice(0, last + 2)
      .at(-1);
    const had = own[last]?.after.get(owner)?.length ?? 0;
    const has = own[last + 1]?.before.get(owner)?.length ?? 0;
    if (has < Math.min(had, next?.before.get(owner)?.length ?? 0)) return { owner, had, has };
  }
  return undefined;
}

function byOwner({ after, before, ...checkpoint }: Checkpoint) {
  const keysByOwner = (records: readonly UsableRecord[]) =>
    grouped(
      records.filter(({ kind }) => kind === "keys"),
      ownerOf,
    );
  return { ...checkpoint, before: keysByOwner(before), after: keysByOwner(after) };
}

/** A key without an owner counts as its own owner. */
function ownerOf({ id, owner, place, title }: UsableRecord): string {
  return JSON.stringify(owner === undefined ? [place, "", title ?? id] : [place, owner]);
}

function textOf(records: readonly UsableRecord[] = []): string {
  return JSON.stringify(records.map(({ id, members }) => [id, ...members]));
}

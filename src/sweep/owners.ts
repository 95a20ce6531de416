import { grouped } from "../base/grouped.ts";
import type { UsableRecord } from "./records.ts";

/** A change of the records that no call made, from which a program begins anew. */
export interface Cut {
  /** A reset, which also begins and ends each run, and a mark are for all owners. A seed is for those of its keys. */
  readonly by: "reset" | "mark" | "seed";
  /** How many calls came before it. */
  readonly calls: number;
  readonly before: readonly UsableRecord[];
  readonly after: readonly UsableRecord[];
}

/**
 * The first owner who has fewer keys that work, in one API, than at the last cut before a call, and than
 * at the next cut in a run without a fault.
 * @param place how many calls came before this one
 */
export function lostIn(cuts: readonly Cut[], usual: readonly Cut[], place: number) {
  const [own, others] = [cuts, usual].map((all) => all.map(byOwner)) as [OwnersCut[], OwnersCut[]];
  for (const owner of new Set(own.flatMap(({ after }) => [...after.keys()]))) {
    const isCut = ({ after, before, by }: OwnersCut) =>
      by !== "seed" || textOf(before.get(owner)) !== textOf(after.get(owner));
    const stretches = own.filter(isCut);
    const number = stretches.findLastIndex(({ calls }) => calls <= place);
    const next = others
      .filter(isCut)
      .slice(0, number + 2)
      .at(-1);
    const had = stretches[number]?.after.get(owner)?.length ?? 0;
    const has = stretches[number + 1]?.before.get(owner)?.length ?? 0;
    if (has < Math.min(had, next?.before.get(owner)?.length ?? 0)) return { owner, had, has };
  }
  return undefined;
}

type OwnersCut = ReturnType<typeof byOwner>;

function byOwner({ after, before, ...cut }: Cut) {
  const [was, is] = [before, after].map((records) =>
    grouped(
      records.filter(({ kind }) => kind === "keys"),
      ownerOf,
    ),
  ) as [Map<string, UsableRecord[]>, Map<string, UsableRecord[]>];
  return { ...cut, before: was, after: is };
}

/** A key without an owner is for itself. */
function ownerOf({ id, owner, place, title }: UsableRecord): string {
  return JSON.stringify(owner === undefined ? [place, "", title ?? id] : [place, owner]);
}

function textOf(records: readonly UsableRecord[] = []): string {
  return JSON.stringify(records.map(({ id, members }) => [id, ...members]));
}

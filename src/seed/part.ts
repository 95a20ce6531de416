import { copyJson } from "../base/json.ts";
import { eachInSteps, type Steps } from "../base/steps.ts";
import { below, formatPath, type Problem, problemLine } from "../schema/problems.ts";
import type { Meta } from "../schema/meta.ts";
import type { FaultMembers } from "../faults/fault-schema.ts";
import { withOwnMatch } from "../faults/faults.ts";
import { kindNames } from "../state/records/kind-names.ts";
import type { PermissionInit } from "../state/records/permissions.ts";
import type { AccessTokenInit } from "../state/records/tokens.ts";
import type { FixtureMembers, GenerateRequest, SnapshotState } from "./format.ts";

/** The lists of a workspace in a fixture. */
export const lists = [...kindNames, "generate", "faults"] as const;
export type List = (typeof lists)[number];

export type ItemOf<Name extends List> = NonNullable<FixtureMembers[Name]>[number];
type Lists = { readonly [Name in List]: readonly ItemOf<Name>[] };

/**
 * What a fixture says about one workspace. It is validated, and shares no objects with the fixture. The
 * faults of a fixture are in its first part. If a part has a snapshot, its complete records are added
 * unchanged.
 */
export interface Part extends Lists {
  readonly source: string;
  /** The path of the workspace in the fixture. */
  readonly path: readonly PropertyKey[];
  readonly workspace: NonNullable<FixtureMembers["workspace"]>;
  readonly snapshot: SnapshotState | undefined;
  /** Whether these are the current records of the emulator, with which a new fixture is checked. */
  readonly isCurrent?: boolean;
  /** Whether its records come from no fixture, but from a profile or the default fixture. */
  readonly isUnlisted?: boolean;
}

/**
 * Fixtures that were read and checked, also against each other: the first of the two shapes that a
 * fixture has. The other one is the state that it becomes.
 */
export interface CheckedFixtures {
  readonly defaultId: string;
  /** What the fixtures say about each workspace, in the order of the fixtures. Each names its workspace. */
  readonly parts: readonly Part[];
}

/** The parts of each workspace, the default workspace first. */
export function byWorkspace({ defaultId, parts }: CheckedFixtures): ReadonlyMap<string, Part[]> {
  const groups = new Map<string, Part[]>([[defaultId, []]]);
  for (const part of parts) {
    const { id = defaultId } = part.workspace;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [part]);
    else group.push(part);
  }
  return groups;
}

/** The state of the first snapshot; undefined if there is none. */
export function snapshotIn({ parts }: CheckedFixtures): SnapshotState | undefined {
  return parts.find(({ snapshot }) => snapshot !== undefined)?.snapshot;
}

export function tokensIn({ parts }: CheckedFixtures): readonly AccessTokenInit[] {
  return parts.flatMap(({ tokens }) => tokens);
}

export function faultsIn({ parts }: CheckedFixtures): readonly FaultMembers[] {
  return parts.flatMap(({ faults }) => faults);
}

/** Makes a part from members. Lists that are not given are empty. */
export function toPart(source: string, path: Part["path"], members: FixtureMembers): Part {
  const given = lists.map((name) => [name, members[name] ?? []] as const);
  const all = Object.fromEntries(given) as unknown as Lists;
  return {
    ...all,
    source,
    path,
    workspace: members.workspace ?? {},
    snapshot: members.snapshot,
  };
}

/** An item with a copy of its free-form data, which validation does not copy, because records freeze it. */
export function withOwnData(list: PropertyKey | undefined, item: unknown): unknown {
  if (list === "identities" || list === "keys") return withOwnMeta(item as ItemOf<typeof list>);
  if (list === "generate") return withOwnLike(item as GenerateRequest);
  return list === "faults" ? withOwnMatch(item as FaultMembers) : item;
}

function withOwnMeta<Item extends { readonly meta?: Meta | undefined }>(item: Item): Item {
  return item.meta === undefined ? item : { ...item, meta: copyJson(item.meta) };
}

function withOwnLike(request: GenerateRequest): GenerateRequest {
  return request.like === undefined ? request : { ...request, like: withOwnMeta(request.like) };
}

/** Whether a fixture gives only the name of a permission, which it may do several times. */
export function isPlain({ description, id, slug }: PermissionInit): boolean {
  return id === undefined && slug === undefined && description === undefined;
}

/** A line for each problem of the value at a path of a part. */
export function linesAt(
  { source, path: partPath }: Part,
  path: readonly PropertyKey[],
  problems: readonly Problem[],
): string[] {
  if (problems.length === 0) return [];
  return below([...partPath, ...path], problems).map((problem) => problemLine(source, problem));
}

/** `demo.yaml: keys[3].id`: a path of a part. */
export function placeIn({ source, path: partPath }: Part, path: readonly PropertyKey[]): string {
  return `${source}: ${formatPath([...partPath, ...path])}`;
}

/** Lines for the problems of each item of a list. */
export function* itemLines<Name extends List>(
  parts: readonly Part[],
  list: Name,
  problemsOf: (item: ItemOf<Name>, part: Part, index: number) => readonly Problem[],
): Steps<string[]> {
  const lines: string[] = [];
  for (const part of parts) {
    yield* eachInSteps<ItemOf<Name>>(part[list], (item, index) => {
      for (const line of linesAt(part, [list, index], problemsOf(item, part, index)))
        lines.push(line);
    });
  }
  return lines;
}

import { copyJson, isRecord } from "../base/json.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import { isPromise } from "../base/realm.ts";
import { throwLines, UsageError } from "../base/usage-error.ts";
import type { FaultMembers } from "../state/faults/fault-schema.ts";
import type { ReadContext } from "../schema/fields.ts";
import { below, formatPath, type Problem, problemLine, readAs } from "../schema/problems.ts";
import type { FixtureMembers, GenerateRequest, ProfileName, SnapshotState } from "./format.ts";
import { DEFAULT_WORKSPACE_ID, EXTENSION, fixtureFor, insteadOf } from "./format.ts";
import { smallFixture } from "./small-fixture.ts";
import { maskText } from "../base/wording/mask.ts";
import { withOwnMatch } from "../state/faults/faults.ts";
import type { Meta } from "../schema/meta.ts";
import type { KeyInit } from "../state/key.ts";
import type { AccessTokenInit } from "../state/tokens.ts";
import type { ApiInit } from "../state/apis.ts";
import type { IdentityInit } from "../state/identities.ts";
import type { PermissionInit } from "../state/permissions.ts";
import { kindNames } from "../state/kind-names.ts";

/**
 * The hidden member with the file name of a fixture. It is not enumerable, so the fixture looks like any
 * plain object.
 */
const NAME = Symbol("latchkey fixture name");

export function nameFixture<Value>(fixture: Value, name: string): Value {
  if (typeof fixture === "object" && fixture !== null) {
    Object.defineProperty(fixture, NAME, { value: name });
  }
  return fixture;
}

/** The name of a fixture in messages: the path of its file, or its position in the options. */
export function sourceOf(fixture: unknown, index: number): string {
  const named = fixture as { [NAME]?: string } | null | undefined;
  return named?.[NAME] ?? `fixtures[${index}]`;
}

/**
 * Masks the tokens and key values of fixtures in messages about these fixtures, even if one is in a
 * wrong place, like the name of an API.
 * @param fixtures may be invalid
 */
export function withoutOwnSecrets(
  lines: readonly string[],
  fixtures: readonly unknown[],
): readonly string[] {
  if (lines.length === 0) return lines;
  const secrets = new Set<unknown>();
  for (const fixture of fixtures.filter(isRecord)) {
    for (const part of [fixture, ...listIn(fixture, "workspaces")]) {
      for (const { token } of listIn(part, "tokens")) secrets.add(token);
      for (const { key } of listIn(part, "keys")) secrets.add(key);
    }
  }
  return lines.map((line) => maskText(line, (part) => secrets.has(part)));
}

function listIn(fixture: Record<string, unknown>, name: string): Record<string, unknown>[] {
  const list = fixture[name];
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

export const EXPECTED_NO_PROMISE = "expected an object, got a promise; is an await missing?";

/** @throws UsageError for a promise instead of a fixture */
export function expectNoPromise(fixture: unknown, source: string): void {
  if (isPromise(fixture)) throw new UsageError(`${source}: ${EXPECTED_NO_PROMISE}`);
}

/** The lists of a fixture. A long one is read in slices. */
const lists = [...kindNames, "generate", "faults"] as const;
export type List = (typeof lists)[number];

export type ItemOf<Name extends List> = NonNullable<FixtureMembers[Name]>[number];
type Lists = { readonly [Name in List]: readonly ItemOf<Name>[] };

/**
 * What a fixture says of one workspace. It is validated, and shares no objects with the fixture. The
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
  /** Whether no fixture lists its records: those of a profile, or of an emulator without a fixture. */
  readonly isUnlisted?: boolean;
}

/**
 * Fixtures that were read and checked, also against each other: the first of the two shapes that a
 * fixture has. The other one is the state that it becomes.
 */
export interface CheckedFixtures {
  readonly defaultId: string;
  /** What the fixtures say of each workspace, in the order of the fixtures. All name their workspace. */
  readonly parts: readonly Part[];
}

/** The parts of each workspace, those of the default one first. */
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

/** The state of the first snapshot, in the order of the workspaces; undefined if there is none. */
export function snapshotIn(fixtures: CheckedFixtures): SnapshotState | undefined {
  const parts = [...byWorkspace(fixtures).values()].flat();
  return parts.find(({ snapshot }) => snapshot !== undefined)?.snapshot;
}

export function tokensIn({ parts }: CheckedFixtures): readonly AccessTokenInit[] {
  return parts.flatMap(({ tokens }) => tokens);
}

export function faultsIn({ parts }: CheckedFixtures): readonly FaultMembers[] {
  return parts.flatMap(({ faults }) => faults);
}

function toParts(source: string, { workspaces = [], ...first }: FixtureMembers): readonly Part[] {
  // With several workspaces in one file, the unnamed one gets the default id. Otherwise it would be
  // merged with the first named one.
  const id = first.workspace?.id ?? (workspaces.length > 0 ? DEFAULT_WORKSPACE_ID : undefined);
  const others = workspaces.map((one, index) => toPart(source, ["workspaces", index], one));
  const parts = [
    toPart(source, [], { ...first, workspace: { ...first.workspace, id } }),
    ...others,
  ];
  return parts.flatMap((part) => [part, ...profileParts(part)]);
}

function profileParts({ generate, path, source, workspace }: Part): Part[] {
  return generate.flatMap(({ profile }, index) => {
    if (profile === undefined) return [];
    const members = { ...profiles[profile](), workspace: { id: workspace.id } };
    return [{ ...toPart(source, [...path, "generate", index], members), isUnlisted: true }];
  });
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
    identities: all.identities.map(withOwnMeta),
    keys: all.keys.map(withOwnMeta),
    generate: all.generate.map(withOwnLike),
    faults: all.faults.map(withOwnMatch),
  };
}

/** Copies free-form data, which validation does not copy, because records freeze it. */
function withOwnMeta<Item extends { readonly meta?: Meta | undefined }>(item: Item): Item {
  return item.meta === undefined ? item : { ...item, meta: copyJson(item.meta) };
}

function withOwnLike(request: GenerateRequest): GenerateRequest {
  return request.like === undefined ? request : { ...request, like: withOwnMeta(request.like) };
}

/** Whether a fixture gives nothing but the name of a permission, which it may do several times. */
export function isPlain({ description, id, slug }: PermissionInit): boolean {
  return id === undefined && slug === undefined && description === undefined;
}

/** A line for each problem of the value at a path of a part. */
export function linesAt(
  { source, path: partPath }: Part,
  path: readonly PropertyKey[],
  problems: readonly Problem[],
): string[] {
  return below([...partPath, ...path], problems).map((problem) => problemLine(source, problem));
}

/** `demo.yaml: keys[3].id`: a path of a part. */
export function placeIn({ source, path: partPath }: Part, path: readonly PropertyKey[]): string {
  return `${source}: ${formatPath([...partPath, ...path])}`;
}

/** Lines for the problems of each item of a list. */
export function itemLines<Name extends List>(
  parts: readonly Part[],
  list: Name,
  problemsOf: (item: ItemOf<Name>, part: Part) => readonly Problem[],
): string[] {
  return parts.flatMap((part) =>
    part[list].flatMap((item, index) => {
      const problems = problemsOf(item, part);
      // Of very many items, most have none.
      return problems.length === 0 ? [] : linesAt(part, [list, index], problems);
    }),
  );
}

interface Profile {
  readonly apis: ApiInit[];
  readonly identities: IdentityInit[];
  readonly keys: KeyInit[];
}

/** A number of keys at which programs that page make mistakes; 100 keys are the largest page. */
const sizes = [
  { count: 0, name: "No keys" },
  { count: 1, name: "One key" },
  { count: 99, name: "One key less than a page" },
  { count: 100, name: "Exactly one page" },
  { count: 101, name: "One key more than a page" },
  { count: 200, name: "Two full pages" },
  { count: 250, name: "Two and a half pages" },
];

/** The owners of the keys of an API. The first one has more keys than a page if the API has 250. */
const owners = ["org_many_keys", "org_many_keys", "org_many_keys", "org_some_keys", undefined];
/** Identities, of which one has no keys. */
const externalIds = ["org_many_keys", "org_some_keys", "org_without_keys"];

/** Names that are long, in other scripts, written from right to left, or of several code points. */
const names = [
  "Nightly export",
  "夜間エクスポート",
  "Ночной экспорт",
  "التصدير الليلي",
  "Cle\u0301 d’exportation 🔑🇫🇷", // with a combining accent
  "The key of the export that runs each night and that has a very long name ".repeat(3).trim(),
  undefined,
];

/** The records of each profile. They are complete, and need no random numbers. */
const profiles: Readonly<Record<ProfileName, () => Profile>> = { paging };

/** APIs of various sizes, to test programs that read lists page by page. */
function paging(): Profile {
  const keysOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      apiId: `api_paging_${count}`,
      name: names[index % names.length],
      externalId: owners[index % owners.length],
    }));
  return {
    apis: sizes.map(({ count, name }) => ({ id: `api_paging_${count}`, name })),
    identities: externalIds.map((externalId) => ({ externalId })),
    keys: sizes.flatMap(({ count }) => keysOf(count)),
  };
}

export interface ReadOptions {
  /** The name of a fixture in messages. Default: its file, or its position. */
  readonly nameOf?: typeof sourceOf;
  /** The time from which relative times count, in unix milliseconds. Default: the real time. */
  readonly now?: number | undefined;
}

/**
 * Validates and copies fixtures, so that the result shares no objects with them. Does not check
 * references between records.
 * @throws UsageError with a line for each place that does not match the format
 */
export function* readParts(
  fixtures: readonly unknown[],
  options?: ReadOptions,
): Steps<readonly Part[]> {
  const { lines, parts } = yield* readEach(fixtures, options);
  throwLines(lines);
  return parts;
}

/** A line for each place that does not match the format. References are not checked. */
export function formatProblems(fixtures: readonly unknown[]): readonly string[] {
  return atOnce(readEach(fixtures)).lines;
}

function* readEach(fixtures: readonly unknown[], { nameOf = sourceOf, now }: ReadOptions = {}) {
  const parts: Part[] = [];
  const lines: string[] = [];
  for (const [index, input] of fixtures.entries()) {
    const source = nameOf(input, index);
    const { problems, value } = yield* readInSteps(input, { now });
    if (value !== undefined && problems.length === 0) {
      const isDefault = input === smallFixture;
      const read = toParts(source, value);
      parts.push(...(isDefault ? read.map((part) => ({ ...part, isUnlisted: true })) : read));
    }
    const isFileName = typeof input === "string" && /\.(?:json|ya?ml)$/i.test(input);
    const advice = isFileName
      ? "; to read a file, pass `await loadFixture(name)` from latchkey/node"
      : "";
    const found = problems.map((problem) => problemLine(source, withReason(problem)) + advice);
    for (const line of withoutOwnSecrets(found, [input])) lines.push(line);
  }
  return { parts, lines };
}

const STEP_ITEMS = 500;
/** After more problems than this, no more of a long list is read. */
const MAX_PROBLEMS = 1_000;

/** Reads a fixture in steps. Each slice of a long list is read as a fixture with only that list. */
function* readInSteps(
  input: unknown,
  context: ReadContext,
): Steps<{
  readonly value: FixtureMembers | undefined;
  readonly problems: readonly Problem[];
}> {
  // Not validated here: a test proves that the schema finds no problem in it and changes nothing.
  if (input === smallFixture) return { value: copyJson(smallFixture), problems: [] };
  const members: Readonly<Record<string, unknown>> = isRecord(input) ? input : {};
  const long = lists.flatMap((name): [List, unknown[]][] => {
    const items = members[name];
    return Array.isArray(items) && items.length > STEP_ITEMS ? [[name, items]] : [];
  });
  const emptied = Object.fromEntries(long.map(([name]) => [name, []]));
  const first = long.length === 0 ? input : { ...members, ...emptied };
  const { value, problems, unknown } = readAs(fixtureFor(first), first, context);
  const isRefused = ({ path }: Problem) => path.length > 1 || !EXTENSION.test(String(path[0]));
  const all = [...problems, ...unknown.filter(isRefused)];
  const whole: Record<string, unknown[]> = {};
  for (const [name, items] of long) {
    const list: unknown[] = (whole[name] = []);
    for (let start = 0; start < items.length; start += STEP_ITEMS) {
      yield;
      const some = { [name]: items.slice(start, start + STEP_ITEMS) };
      const slice = readAs(fixtureFor(some), some, context);
      for (const item of slice.value?.[name] ?? []) list.push(item);
      for (const problem of [...slice.problems, ...slice.unknown]) {
        all.push(movedBy(start, problem));
      }
      if (all.length <= MAX_PROBLEMS) continue;
      const expected = `expected valid items; only the first ${all.length} problems are reported`;
      return { value, problems: [...all, { path: [name], expected }] };
    }
  }
  return { value: value && { ...value, ...whole }, problems: all };
}

/** Changes the path of a problem from a slice of a list to the whole list. */
function movedBy(start: number, problem: Problem): Problem {
  const [name, index, ...rest] = problem.path;
  if (name === undefined || index === undefined) return problem;
  return { ...problem, path: [name, start + Number(index), ...rest] };
}

/** Says why made-up keys cannot have a member. */
function withReason(problem: Problem): Problem {
  const instead = insteadOf(problem.path);
  return instead === undefined ? problem : { path: problem.path, expected: instead };
}

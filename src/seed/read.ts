import { copyJson, isRecord } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import { isPromise } from "../base/realm.ts";
import { throwLines } from "../base/usage-error.ts";
import { below, type Problem, problemLine, readAs, valueAt } from "../schema/problems.ts";
import { resolveTimes } from "../state/time/time-text.ts";
import type { Fixture, FixtureMembers } from "./format.ts";
import { lists, type Part, toPart, withOwnData } from "./part.ts";
import { profiles } from "./profiles.ts";
import { DEFAULT_WORKSPACE_ID, EXTENSION, fixtureFor, insteadOf, itemSchema } from "./format.ts";
import { smallFixture } from "./small-fixture.ts";
import { maskText } from "../base/wording/mask.ts";

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

export interface ReadOptions {
  /** The name of a fixture in messages. Default: its file, or its position. */
  readonly nameOf?: typeof sourceOf;
  /** The time from which relative times count, in unix milliseconds. Default: the real time. */
  readonly now?: number | undefined;
}

/**
 * Validates and copies fixtures. The result shares no objects with them. References between records are
 * not checked.
 * @throws UsageError with a line for each place that does not match the format
 */
export function* readParts(
  fixtures: readonly unknown[],
  { nameOf = sourceOf, now = Date.now() }: ReadOptions = {},
): Steps<readonly Part[]> {
  const parts: Part[] = [];
  const lines: string[] = [];
  for (const [index, input] of fixtures.entries()) {
    const source = nameOf(input, index);
    const { problems, value } = yield* readInSteps(input, now);
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
  throwLines(lines);
  return parts;
}

/**
 * Snapshots that this version of latchkey wrote. They are not validated, for pages that have to start
 * fast. The emulator that is created with one owns it.
 */
export const trusted = new WeakSet<Fixture>();

/** After more problems than this, no more is read. */
const MAX_PROBLEMS = 1_000;

/**
 * Reads a fixture in steps. The items of its lists are read one by one: zod passes the issues of a whole
 * list to one call, and a call with more than 120,000 arguments overflows the stack.
 */
function* readInSteps(
  input: unknown,
  now: number,
): Steps<{
  readonly value: FixtureMembers | undefined;
  readonly problems: readonly Problem[];
}> {
  if (isPromise(input)) {
    const expected = "expected an object, got a promise; is an await missing?";
    return { value: undefined, problems: [{ path: [], expected }] };
  }
  // Tests prove that the schema finds no problem in these and changes nothing.
  if (input === smallFixture) return { value: copyJson(smallFixture), problems: [] };
  if (trusted.has(input as Fixture)) return { value: input as FixtureMembers, problems: [] };
  const long = listsIn(input);
  const rest = long.reduce((whole, { path }) => withMember(whole, path, []), input);
  const { value, problems, unknown } = readAs(fixtureFor(rest), rest);
  const isRefused = ({ path }: Problem) => path.length > 1 || !EXTENSION.test(String(path[0]));
  const found = { problems: [...problems], unknown: unknown.filter(isRefused) };
  for (const { items, path } of long) {
    const list = valueAt(value, path) as unknown[] | undefined;
    const schema = itemSchema(path);
    for (const [index, given] of items.entries()) {
      const item = readAs(schema, given);
      const place = [...path, index];
      found.problems.push(...below(place, [...item.problems, ...resolveTimes(item.value, now)]));
      if (item.value !== undefined) list?.push(withOwnData(path.at(-1), item.value));
      found.unknown.push(...below(place, item.unknown));
      const count = found.problems.length + found.unknown.length;
      if (count > MAX_PROBLEMS) {
        const expected = `expected valid items; only the first ${count} problems are reported`;
        return { value, problems: [...found.problems, ...found.unknown, { path, expected }] };
      }
      yield;
    }
  }
  return { value, problems: [...found.problems, ...found.unknown] };
}

interface ListAt {
  readonly path: readonly PropertyKey[];
  readonly items: readonly unknown[];
}

/** The lists of records in a fixture, in its workspaces and in its snapshots. */
function listsIn(input: unknown): readonly ListAt[] {
  const { workspaces } = isRecord(input) ? input : {};
  const further = Array.isArray(workspaces) ? workspaces.map((_, index) => index) : [];
  const parts = [[], ...further.map((index) => ["workspaces", index])];
  const names = [...lists.map((name) => [name]), ["snapshot", "counters"]];
  const paths = parts.flatMap((part) => names.map((name) => [...part, ...name]));
  return paths.flatMap((path) => {
    const items = valueAt(input, path);
    return Array.isArray(items) ? [{ path, items }] : [];
  });
}

/** A copy of a value with another member at a path. */
function withMember(value: unknown, path: readonly PropertyKey[], member: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return member;
  const copy: unknown = Array.isArray(value) ? [...value] : { ...(value as object) };
  const members = copy as Record<PropertyKey, unknown>;
  members[name] = withMember(members[name], rest, member);
  return copy;
}

/** Says why generated keys cannot have a member. */
function withReason(problem: Problem): Problem {
  const instead = insteadOf(problem.path);
  return instead === undefined ? problem : { path: problem.path, expected: instead };
}

import { eachInSteps, type Steps } from "../base/steps.ts";
import type { Problem } from "../schema/problems.ts";
import { quoted } from "../base/wording/text.ts";
import { type ApiInit, keyspaceProblems } from "../state/records/apis.ts";
import { keyProblems, ratelimitProblems, takenValue } from "../state/keys/key-problems.ts";
import { isExistingKey } from "../state/keys/to-key.ts";
import type { PermissionInit } from "../state/records/permissions.ts";
import { overrideProblems } from "../state/records/namespaces.ts";
import type { CheckedFixtures, ItemOf, List, Part } from "./part.ts";
import { byWorkspace, isPlain, itemLines, linesAt, placeIn } from "./part.ts";
import { givenSecret, hashOf, type KeySecret, secretMember } from "../state/keys/key-secret.ts";
import type { Key, KeyInit } from "../state/keys/key.ts";
import { kindNames } from "../state/records/kind-names.ts";
import { kinds } from "../state/kinds.ts";
import { generateLines } from "./generate-problems.ts";

/**
 * Checks fixtures against each other: duplicate ids and names, references to missing records, and
 * workspaces without a token. Returns a line for each problem.
 */
export function* crossCheck(fixtures: CheckedFixtures): Steps<string[]> {
  // A token selects the workspace, so it must be unique among all workspaces.
  const tokens = new Claims("tokens", "token");
  const lines: string[] = [];
  const add = (found: readonly string[]) => {
    for (const line of found) lines.push(line);
  };
  const workspaces = byWorkspace(fixtures);
  for (const [id, parts] of workspaces) {
    for (const part of parts) add(yield* tokens.take(part));
    add(yield* duplicates(parts));
    add(yield* itemLines(parts, "apis", keyspaceProblems));
    add(yield* doubledValues(parts));
    add(yield* itemLines(parts, "identities", ({ ratelimits }) => ratelimitProblems(ratelimits)));
    add(yield* itemLines(parts, "ratelimitNamespaces", overrideProblems));
    add(yield* danglingReferences(parts));
    add(multipleSnapshots(parts));
    add(yield* generateLines(parts));
    if (workspaces.size > 1) add(missingToken(id, parts));
  }
  return lines;
}

function* duplicates(parts: readonly Part[]): Steps<string[]> {
  const claims = kindNames.flatMap((kind) =>
    kinds[kind].unique.map((member) => new Claims(kind, member)),
  );
  const lines: string[] = [];
  for (const part of parts) {
    for (const claim of claims) lines.push(...(yield* claim.take(part)));
  }
  return lines;
}

function* danglingReferences(parts: readonly Part[]): Steps<string[]> {
  const apis = new Map<string, ApiInit>();
  const identities = new Set<unknown>();
  const migrations = new Set<unknown>();
  for (const part of parts) {
    for (const api of part.apis) apis.set(api.id, api);
    yield* eachInSteps(part.identities, ({ id }) => identities.add(id));
    for (const { id } of part.migrations) migrations.add(id);
  }
  return [
    ...(yield* itemLines(parts, "keys", (key, part) => apiProblems(key, part, apis))),
    ...(yield* itemLines(parts, "keys", (key, { snapshot }) => {
      const { identityId: value } = key;
      if (value === undefined || identities.has(value)) return [];
      // The identity of an existing key may have been deleted.
      if (snapshot !== undefined && isExistingKey(key)) return [];
      const expected = "expected the id of an identity of this workspace";
      return [{ path: ["identityId"], expected, value }];
    })),
    ...(yield* itemLines(parts, "keys", ({ migrationId: value }, { snapshot }) => {
      // A migration can be deleted, so a key of a snapshot may refer to one that does not exist.
      const isKept = snapshot !== undefined || value === undefined;
      if (isKept || migrations.has(value)) return [];
      const expected = "expected the id of a migration of this workspace";
      return [{ path: ["migrationId"], expected, value }];
    })),
  ];
}

function apiProblems(
  key: ItemOf<"keys">,
  { snapshot }: Part,
  apis: ReadonlyMap<string, ApiInit>,
): readonly Problem[] {
  // Keys of the current state have only their id; see `currentPart`.
  if (key.apiId === undefined) return [];
  const api = apis.get(key.apiId);
  // The rules of an API apply to new keys only, not to the existing keys of a snapshot.
  if (snapshot !== undefined && api !== undefined && isExistingKey(key)) return [];
  return keyProblems(key, api, apis.values());
}

/** Two snapshots of a workspace would have different positions of the id sequences. */
function multipleSnapshots(parts: readonly Part[]): string[] {
  const expected = "expected one snapshot of a workspace";
  const [, ...further] = parts.filter(({ snapshot }) => snapshot !== undefined);
  return further.flatMap((part) => linesAt(part, ["snapshot"], [{ path: [], expected }]));
}

function missingToken(id: string, parts: readonly Part[]): string[] {
  if (parts.some(({ tokens }) => tokens.length > 0)) return [];
  // Tokens can be deleted, so a snapshot and the current state may have a workspace without one.
  if (parts.some(({ isCurrent, snapshot }) => isCurrent || snapshot !== undefined)) return [];
  const expected = `expected a token for ${id}: with several workspaces, the token of a request selects its workspace`;
  const problem = { path: ["tokens"], expected, value: undefined };
  return parts.slice(0, 1).flatMap((part) => linesAt(part, [], [problem]));
}

/** Finds duplicate values of one member in the same list of several fixtures. */
class Claims {
  readonly #holders = new Map<
    unknown,
    { readonly part: Part; readonly path: readonly PropertyKey[] }
  >();
  readonly #list: List;
  readonly #member: string;

  constructor(list: List, member: string) {
    this.#list = list;
    this.#member = member;
  }

  /** Claims the value of every item of a part. Returns a line for each that is already claimed. */
  *take(part: Part): Steps<string[]> {
    const lines: string[] = [];
    yield* eachInSteps<object>(part[this.#list], (item, index) => {
      lines.push(...this.#takeItem(part, index, item as Readonly<Record<string, unknown>>));
    });
    return lines;
  }

  #takeItem(part: Part, index: number, record: Readonly<Record<string, unknown>>): string[] {
    // A permission without a slug has its name as slug.
    const isSlug = this.#member === "slug" && record["slug"] === undefined;
    const member = isSlug ? "name" : this.#member;
    const value = record[member];
    if (value === undefined) return [];
    if (this.#list === "permissions" && isPlain(record as unknown as PermissionInit)) return [];
    const path = [this.#list, index, member];
    const holder = this.#holders.get(value);
    if (holder === undefined) {
      this.#holders.set(value, { part, path });
      return [];
    }
    const isToken = this.#member === "token";
    // A test may have created workspaces with the same token in the collections.
    if (isToken && (part.isCurrent || part.snapshot !== undefined)) return [];
    // A token is a secret.
    const shown = isToken ? "" : `: ${quoted(String(value))}`;
    const expected = `duplicate of ${placeIn(holder.part, holder.path)}${shown}`;
    return linesAt(part, path, [{ path: [], expected }]);
  }
}

interface KeyWithValue {
  readonly part: Part;
  readonly key: KeyInit;
  readonly secret: KeySecret;
  readonly index: number;
  readonly isExisting: boolean;
}

/** A line for each new key of one workspace whose value another key has. */
function* doubledValues(parts: readonly Part[]): Steps<string[]> {
  const all: KeyWithValue[] = [];
  for (const part of parts) {
    yield* eachGivenValue(part, (given) => all.push(given));
  }
  if (all.every(({ isExisting }) => isExisting)) return [];
  // A hash is compared with values too. Without a hash, the values are not hashed, which takes time.
  const hasHashes = all.some(({ key }) => secretMember(key) === "hash");
  const holders = new Map<string | undefined, KeyWithValue>();
  const existingFirst = all.toSorted((a, b) => Number(b.isExisting) - Number(a.isExisting));
  const lines: string[] = [];
  yield* eachInSteps(existingFirst, (given) => {
    const entry = hasHashes ? hashOf(given.secret) : given.key.key;
    const holder = holders.get(entry);
    if (holder === undefined) holders.set(entry, given);
    if (holder === undefined || given.isExisting) return;
    const path = ["keys", holder.index, secretMember(holder.key)];
    lines.push(...takenLines(given, placeIn(holder.part, path)));
  });
  return lines;
}

/** A line for each key of a fixture whose value a key of the current state has. */
export function* takenValues(
  part: Part,
  holderOf: (key: KeyInit) => Key | undefined,
): Steps<string[]> {
  const lines: string[] = [];
  yield* eachGivenValue(part, (given) => {
    const holder = holderOf(given.key);
    if (holder !== undefined) lines.push(...takenLines(given, holder.id));
  });
  return lines;
}

function eachGivenValue(part: Part, work: (given: KeyWithValue) => void): Steps<void> {
  return eachInSteps(part.keys, (key, index) => {
    const secret = givenSecret(key);
    const isExisting = part.snapshot !== undefined && isExistingKey(key);
    if (secret !== undefined) work({ part, key, secret, index, isExisting });
  });
}

function takenLines({ part, index, key }: KeyWithValue, holder: string): string[] {
  return linesAt(part, ["keys", index], [takenValue(secretMember(key), holder)]);
}

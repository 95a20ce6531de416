import { eachInSteps, type Steps } from "../base/steps.ts";
import type { Problem } from "../schema/problems.ts";
import { quoted } from "../base/wording/text.ts";
import { type ApiInit, keyspaceProblems } from "../state/records/apis.ts";
import { keyProblems, ratelimitProblems, takenValue } from "../state/keys/key-problems.ts";
import { isExistingKey } from "../state/keys/to-key.ts";
import type { PermissionInit } from "../state/records/permissions.ts";
import { overrideProblems } from "../state/records/namespaces.ts";
import type { CheckedFixtures, ItemOf, Part } from "./part.ts";
import { byWorkspace, isPlain, itemLines, linesAt, placeIn } from "./part.ts";
import { givenSecret, hashOf, type KeySecret, secretMember } from "../state/keys/key-secret.ts";
import type { KeyInit } from "../state/keys/key.ts";
import { type KindName, kindNames } from "../state/records/kind-names.ts";
import { kinds } from "../state/kinds.ts";
import { generateLines } from "./generate-problems.ts";

/**
 * Checks fixtures against each other: duplicate ids and names, references to missing records, and
 * workspaces without a token. Returns a line for each problem.
 */
export function* crossCheck(fixtures: CheckedFixtures): Steps<string[]> {
  const lines: string[] = [];
  const add = (found: readonly string[]) => {
    for (const line of found) lines.push(line);
  };
  // A token selects the workspace, so it must be unique among all workspaces.
  add(yield* duplicates(fixtures.parts, "tokens", "token"));
  const workspaces = byWorkspace(fixtures);
  for (const [id, parts] of workspaces) {
    for (const kind of kindNames) {
      for (const member of kinds[kind].unique) add(yield* duplicates(parts, kind, member));
    }
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

/** A line for each record whose value of a unique member an earlier record has. */
function duplicates(parts: readonly Part[], list: KindName, unique: string): Steps<string[]> {
  const holders = new Map<unknown, readonly [Part, path: readonly PropertyKey[]]>();
  return itemLines(parts, list, (item, part, index) => {
    const record = item as Readonly<Record<string, unknown>>;
    // A permission without a slug has its name as slug.
    const member = unique === "slug" && record["slug"] === undefined ? "name" : unique;
    const value = record[member];
    if (value === undefined) return [];
    if (list === "permissions" && isPlain(item as PermissionInit)) return [];
    const holder = holders.get(value);
    if (holder === undefined) {
      holders.set(value, [part, [list, index, member]]);
      return [];
    }
    const isToken = list === "tokens";
    // A test may have created workspaces with the same token in the collections.
    if (isToken && (part.isCurrent || part.snapshot !== undefined)) return [];
    // A token is a secret.
    const shown = isToken ? "" : `: ${quoted(String(value))}`;
    return [{ path: [member], expected: `duplicate of ${placeIn(...holder)}${shown}` }];
  });
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
  return yield* itemLines(parts, "keys", (key, part) => {
    const problems = [...apiProblems(key, part, apis)];
    const isOfSnapshot = part.snapshot !== undefined;
    const { identityId, migrationId } = key;
    if (identityId !== undefined && !identities.has(identityId)) {
      // The identity of an existing key may have been deleted.
      if (!isOfSnapshot || !isExistingKey(key)) {
        const expected = "expected the id of an identity of this workspace";
        problems.push({ path: ["identityId"], expected, value: identityId });
      }
    }
    // A migration can be deleted, so a key of a snapshot may refer to one that does not exist.
    if (migrationId !== undefined && !migrations.has(migrationId) && !isOfSnapshot) {
      const expected = "expected the id of a migration of this workspace";
      problems.push({ path: ["migrationId"], expected, value: migrationId });
    }
    return problems;
  });
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
    yield* eachInSteps(part.keys, (key, index) => {
      const secret = givenSecret(key);
      const isExisting = part.snapshot !== undefined && isExistingKey(key);
      if (secret !== undefined) all.push({ part, key, secret, index, isExisting });
    });
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
    const place = placeIn(holder.part, ["keys", holder.index, secretMember(holder.key)]);
    const problem = takenValue(secretMember(given.key), place);
    lines.push(...linesAt(given.part, ["keys", given.index], [problem]));
  });
  return lines;
}

import { faultProblems } from "../faults/fault-rules.ts";
import type { ServedContract } from "../api/operation.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import { throwLines } from "../base/usage-error.ts";
import type { Key, KeyInit } from "../state/keys/key.ts";
import { takenValue } from "../state/keys/key-problems.ts";
import { secretMember } from "../state/keys/key-secret.ts";
import { mapKinds } from "../state/records/kind-names.ts";
import { kinds } from "../state/kinds.ts";
import type { StoreState } from "../state/store.ts";
import type { WorkspaceState } from "../state/workspace.ts";
import { crossCheck } from "./cross-check.ts";
import { DEFAULT_WORKSPACE_ID, type FixtureMembers } from "./format.ts";
import type { ReadOptions } from "./read.ts";
import type { CheckedFixtures, Part } from "./part.ts";
import { readParts, withoutOwnSecrets } from "./read.ts";
import { itemLines, linesAt, tokensIn, toPart } from "./part.ts";

interface CheckOptions extends ReadOptions {
  /** The workspace to use if no fixture names one. Default: `ws_local`. */
  readonly defaultId?: string;
  /** The operations that faults may name. Default: any name. */
  readonly contracts?: readonly ServedContract[] | undefined;
}

/**
 * Reads fixtures and checks them. The result shares no objects with them.
 * @throws UsageError with the problems of all fixtures
 */
export function checkFixtures(
  fixtures: readonly unknown[],
  options?: CheckOptions,
): CheckedFixtures {
  return atOnce(checkInSteps(fixtures, options));
}

export function* checkInSteps(
  fixtures: readonly unknown[],
  { contracts, defaultId = DEFAULT_WORKSPACE_ID, ...reading }: CheckOptions = {},
): Steps<CheckedFixtures> {
  // Throws if any of them does not match the format; references are checked only after that.
  const parts = yield* readParts(fixtures, reading);
  yield;
  const checked = withWorkspaces(parts, defaultId);
  const lines = [...(yield* crossCheck(checked)), ...(yield* faultLines(parts, contracts))];
  throwLines(withoutOwnSecrets(lines, parts));
  yield;
  return checked;
}

export type FindHolder = (workspaceId: string, key: KeyInit) => Key | undefined;

/**
 * Checks a fixture that is added to the current state.
 * @throws UsageError if the fixture does not fit the current state
 */
export function* checkAddition(
  { defaultId, workspaces }: StoreState,
  added: readonly Part[],
  contracts: readonly ServedContract[],
  holderOf: FindHolder,
): Steps<CheckedFixtures> {
  const parts = added.map((part) => inWorkspace(part, defaultId));
  const current: Part[] = [];
  for (const state of workspaces) {
    current.push(currentPart(state));
    yield;
  }
  const taken = yield* itemLines(parts, "keys", (key, { workspace: { id = defaultId } }) => {
    const holder = holderOf(id, key);
    return holder === undefined ? [] : [takenValue(secretMember(key), holder.id)];
  });
  const lines = [
    ...(yield* crossCheck(withWorkspaces([...current, ...parts], defaultId))),
    ...taken,
    ...(yield* faultLines(parts, contracts)),
    ...parts.filter(({ snapshot }) => snapshot !== undefined).flatMap(snapshotLines),
  ];
  throwLines(withoutOwnSecrets(lines, parts));
  yield;
  return withWorkspaces(parts, defaultId);
}

/** A new fixture is checked with APIs, tokens, and the identifying members of other records. */
function currentPart(state: WorkspaceState): Part {
  const lists = mapKinds((kind) => {
    const records: Iterable<object> = state[kind];
    return Array.from(records, (record) => pick(record, kinds[kind].unique));
  });
  const [apis, tokens] = [[...state.apis], [...state.tokens]];
  const members = { ...lists, apis, tokens, workspace: { id: state.id } };
  return { ...toPart("current state", [], members as FixtureMembers), isCurrent: true };
}

/** A loop, because a workspace may have very many keys. */
function pick(record: object, members: readonly string[]): object {
  const picked: Record<string, unknown> = {};
  for (const member of members) picked[member] = record[member as keyof object];
  return picked;
}

function snapshotLines(part: Part): string[] {
  const expected = "expected no snapshot; restore a snapshot instead of adding it";
  return linesAt(part, ["snapshot"], [{ path: [], expected }]);
}

function faultLines(
  parts: readonly Part[],
  contracts: readonly ServedContract[] | undefined,
): Steps<string[]> {
  return itemLines(parts, "faults", (fault) => faultProblems(fault, contracts));
}

/**
 * Parts that name no workspace belong to the first one that a part names, else to the one with the id
 * `fallbackId`.
 */
function withWorkspaces(all: readonly Part[], fallbackId: string): CheckedFixtures {
  const named = all.find(({ workspace }) => workspace.id !== undefined);
  const { id = fallbackId } = named?.workspace ?? {};
  return { defaultId: id, parts: all.map((part) => inWorkspace(part, id)) };
}

function inWorkspace(part: Part, id: string): Part {
  return { ...part, workspace: { ...part.workspace, id: part.workspace.id ?? id } };
}

/** An accepted token. Without `permissions`, it keeps those that a fixture lists for it. */
export interface TokenGrant {
  readonly token: string;
  readonly permissions?: readonly string[] | undefined;
}

/**
 * Makes the given tokens the only accepted ones. A token that a fixture lists keeps its workspace. Any
 * other is added to the default workspace, by default with all permissions. With isolation it is not
 * added, because it has a separate world. Without the option `tokens`, nothing changes.
 */
export function restrictTokens(
  fixtures: CheckedFixtures,
  options: {
    readonly isolate?: boolean | undefined;
    readonly tokens?: readonly TokenGrant[] | undefined;
  },
): CheckedFixtures {
  const { isolate = false, tokens: grants } = options;
  if (grants === undefined) return fixtures;
  const { defaultId } = fixtures;
  const listed = new Set(tokensIn(fixtures).map(({ token }) => token));
  const tokens = grants
    .filter(({ token }) => !isolate && !listed.has(token))
    .map(({ token, permissions }) => ({ token, permissions: [...(permissions ?? ["*"])] }));
  const byToken = new Map(grants.map((grant) => [grant.token, grant]));
  const restrict = (part: Part): Part => ({
    ...part,
    tokens: part.tokens.flatMap((token) => {
      const grant = byToken.get(token.token);
      const permissions = [...(grant?.permissions ?? token.permissions ?? [])];
      return grant === undefined ? [] : [{ ...token, permissions }];
    }),
  });
  const added = toPart("options", [], { workspace: { id: defaultId }, tokens });
  return { defaultId, parts: [...fixtures.parts.map(restrict), added] };
}

/** How many keys a fixture has, listed and generated. */
export function keysIn(parts: readonly Part[]): number {
  const counts = parts.flatMap(({ generate, keys }) => [
    keys.length,
    ...generate.map(({ count = 0 }) => count),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}

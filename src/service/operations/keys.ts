import type { KeySecret } from "../../state/keys/key-secret.ts";
import type { Key, KeyMembers } from "../../state/keys/key.ts";
import type { Role } from "../../state/records/roles.ts";
import type { Workspace } from "../../state/workspace.ts";
import type { Steps } from "../../base/steps.ts";
import type { KeyFormat } from "../../state/keys/key-pages.ts";
import type { KeyFilter, Position } from "../../state/keys/key-table.ts";
import type { Piece } from "./operation.ts";

/** The key with this id; undefined if there is none, or its API was deleted. */
export function keyWithId(workspace: Workspace, keyId: string): Key | undefined {
  return unlessApiDeleted(workspace, workspace.keys.get(keyId));
}

/** The key with this value or hash; undefined if there is none, or its API was deleted. */
export function keyWithSecret(workspace: Workspace, secret: KeySecret): Key | undefined {
  return unlessApiDeleted(workspace, workspace.keys.findBySecret(secret));
}

function unlessApiDeleted({ apis }: Workspace, key: Key | undefined): Key | undefined {
  return key !== undefined && apis.get(key.apiId) !== undefined ? key : undefined;
}

/** The roles of a workspace, or of a public workspace. */
export interface WithRoles {
  readonly roles: { named(name: string): Role | undefined };
}

/** The slugs of the key's own permissions, then those of its roles, without duplicates. */
export function permissionsOf(workspace: WithRoles, { permissions, roles }: Key): string[] {
  const ofRoles = roles.flatMap((role) => workspace.roles.named(role)?.permissions ?? []);
  return ofRoles.length === 0 ? [...permissions] : [...new Set([...permissions, ...ofRoles])];
}

/** The members that link a key with its owner. Creates the owner's identity if there is none. */
export function ownerMembers(
  { identities }: Workspace,
  externalId: string | null,
): Pick<KeyMembers, "identityId" | "ownerId"> {
  if (!externalId) return { identityId: undefined, ownerId: undefined };
  const identity = identities.ensure(externalId);
  return { identityId: identity.id, ownerId: identity.externalId };
}

export interface Selection {
  /** Undefined if no key can match. */
  readonly filter: KeyFilter | undefined;
  /** Where the page begins; undefined for the first key. */
  readonly position: Position | undefined;
  readonly limit: number;
}

export interface PageEnd {
  readonly last: Key | undefined;
  /** The key that follows the page; undefined on the last page. */
  readonly next: Key | undefined;
}

/** The filter of a list; undefined if no identity has the external id. */
export function filterOf(
  workspace: Workspace,
  {
    apiId,
    externalId,
    ownerId,
  }: { apiId: string; externalId?: string | undefined; ownerId?: string | undefined },
): KeyFilter | undefined {
  if (externalId !== undefined) {
    const identity = workspace.identities.named(externalId);
    return identity && { apiId, identityId: identity.id };
  }
  return ownerId === undefined ? { apiId } : { apiId, ownerId };
}

export function readPage(
  { keys }: Workspace,
  { filter, limit, position }: Selection,
): PageEnd & { readonly keys: readonly Key[] } {
  // Reads one key more than the page holds, to know whether another page follows.
  const found = filter === undefined ? [] : keys.page(filter, position, limit + 1);
  const page = found.slice(0, limit);
  return { keys: page, last: page.at(-1), next: found[limit] };
}

/**
 * A page as JSON, from the cached JSON of its keys, which is many times faster (decision 8). The pieces
 * are the keys with commas between, without brackets. Undefined if the page takes long: call again to
 * continue, see `inSteps`.
 */
export function writePage(
  { keys }: Workspace,
  { filter, limit, position }: Selection,
  format: KeyFormat,
): (PageEnd & { readonly pieces: readonly Piece[]; readonly count: number }) | undefined {
  if (filter === undefined) return { pieces: [], count: 0, last: undefined, next: undefined };
  const page = keys.jsonPage(filter, position, limit, format);
  if (page === undefined) return undefined;
  const { count, last, next, slices } = page;
  const pieces = slices.flatMap((slice, index) => (index === 0 ? [slice] : [",", slice]));
  return { pieces, count, last, next };
}

/** Writes a page for some time (ms); undefined if it is not finished. */
type WritePage<Result> = (longest: number) => Result | undefined;

/**
 * The length of a step that writes a page (ms), and the maximum number of steps: the cache may drop the
 * JSON of a huge page before it is finished.
 */
const [LONGEST, MOST_STEPS] = [10, 500];

/** Writes a page; in steps only if it takes long. */
export function inSteps<Result>(write: WritePage<Result>): Result | Steps<Result> {
  return write(LONGEST) ?? goOn(write);
}

function* goOn<Result>(write: WritePage<Result>): Steps<Result> {
  for (let step = 1; ; step += 1) {
    yield;
    const result = write(step < MOST_STEPS ? LONGEST : Infinity);
    if (result !== undefined) return result;
  }
}

import type { Quirk } from "../../contract/quirks.ts";
import { cursorsWith } from "../../contract/v1/cursor.ts";
import type { VersionName } from "../../contract/version.ts";
import type { KeyRecord } from "../../operations/v1/key-record.ts";
import type { ListKeysResult } from "../../operations/v1/list-keys.ts";
import type { VerifyKeyResult } from "../../operations/v1/verify-key.ts";
import type { KeyRecord as KeyRecordV2 } from "../../operations/v2/key-record.ts";
import type { ListKeysResult as ListKeysResultV2 } from "../../operations/v2/list-keys.ts";
import type { VerifyKeyData } from "../../operations/v2/verify-key.ts";

// The rest of the page does not know in which forms the versions of the interface send keys.

export interface Listing {
  readonly version: VersionName;
  readonly apiId: string;
  readonly externalId?: string;
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly decrypt: boolean;
  /** Whether to call like any client: faults are applied, and the journal records the call. */
  readonly isSeen: boolean;
  /** Whether to bypass the cached lists of the quirk `stale-list`. */
  readonly isFresh: boolean;
}

interface ListedRatelimit {
  /** Empty in v1, where a key has at most one. */
  readonly name: string;
  readonly limit: number;
  readonly duration: number;
  /** How uses are counted, in the words of the version. */
  readonly counting: string;
}

/** A key of a list, whatever version of the interface it was listed through. */
export interface ListedKey extends Pick<
  KeyRecord,
  | "id"
  | "start"
  | "name"
  | "createdAt"
  | "expires"
  | "remaining"
  | "refill"
  | "enabled"
  | "plaintext"
> {
  readonly externalId: string | undefined;
  /** When it was last verified; v1 does not tell it. */
  readonly lastUsedAt?: number | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly identity?: { readonly meta?: Readonly<Record<string, unknown>> | undefined } | undefined;
  /** The external id, or what v1 has in its place. */
  readonly owner: string | undefined;
  readonly ratelimits: readonly ListedRatelimit[];
  /** The members that `keys.updateKey` changes, as it takes them. */
  readonly settings: { readonly permissions: readonly unknown[] | undefined };
  /** The key as the service sent it. */
  readonly record: object;
}

export interface KeyPage {
  readonly keys: readonly ListedKey[];
  /** Undefined on the last page. */
  readonly cursor: string | undefined;
  /** The number of keys of the API; undefined in v2, which does not tell it. */
  readonly total: number | undefined;
}

/** What the service answers when it creates or replaces a key. */
export interface MadeKey {
  readonly key: string;
  readonly keyId: string;
}

interface CheckedRatelimit {
  /** Empty in v1, which tells of one rate limit. */
  readonly name: string;
  readonly remaining: number;
  readonly limit?: number | undefined;
  readonly reset: number;
}

/** The outcome of a verification. */
export interface Verified {
  readonly code: string;
  /** Uses left; undefined if they are not limited, or the check of uses was not reached. */
  readonly credits: number | undefined;
  readonly ratelimits: readonly CheckedRatelimit[];
}

/** What to send for a list. */
interface ListCall {
  readonly path: string;
  readonly method?: string;
  readonly body?: object;
}

/** What differs between the versions of the interface. */
interface Interface<Page, Reply, Outcome> {
  toCall(listing: Listing): ListCall;
  toPage(reply: Page): KeyPage;
  /** What an operation other than a list answers. */
  toData(reply: Reply): unknown;
  toVerified(data: Outcome): Verified;
  /** Whether keys can be replaced. */
  readonly canRotate: boolean;
  /** The cursor of the page that begins with this key. */
  cursorAt(keyId: string, quirks: readonly string[]): string;
}

/**
 * A key's own permissions. A list shows them together with those of its roles, so they are known only
 * if it has no role.
 */
function ownPermissions(
  record: Pick<KeyRecordV2, "permissions" | "roles">,
): readonly string[] | undefined {
  const { permissions = [], roles = [] } = record;
  return roles.length === 0 ? permissions : undefined;
}

const v1: Interface<ListKeysResult, object, VerifyKeyResult> = {
  toCall({ apiId, cursor, decrypt, externalId, isFresh, isSeen, limit }) {
    const query = new URLSearchParams({
      apiId,
      limit: String(limit),
      ...(externalId && { externalId }),
      ...(cursor !== undefined && { cursor }),
      ...(decrypt && { decrypt: "true" }),
      // Unseen calls always bypass the cache.
      ...(isFresh && isSeen && { revalidateKeysCache: "true" }),
    });
    return { path: `v1/apis.listKeys?${query}` };
  },
  toPage: ({ cursor, keys, total }) => ({
    keys: keys.map((record) => {
      const { identity, ownerId, ratelimit } = record;
      const externalId = identity?.externalId;
      const counting = ratelimit?.async
        ? "async: true (type fast)"
        : "async: false (type consistent)";
      const ratelimits = ratelimit === undefined ? [] : [{ ...ratelimit, name: "", counting }];
      const toItem = (name: string) => ({ name });
      const settings = {
        ...record,
        externalId,
        // Where there is an external id, this is the same text.
        ownerId: externalId === undefined ? ownerId : undefined,
        roles: record.roles.map(toItem),
        permissions: ownPermissions(record)?.map(toItem),
      };
      return { ...record, externalId, owner: externalId ?? ownerId, ratelimits, settings, record };
    }),
    cursor,
    total,
  }),
  toData: (reply) => reply,
  toVerified: ({ code, ratelimit, remaining }) => ({
    code,
    credits: remaining,
    ratelimits: ratelimit === undefined ? [] : [{ ...ratelimit, name: "" }],
  }),
  canRotate: false,
  // A cursor names the last key of the page before. The id without its end sorts right before the id.
  cursorAt: (keyId, quirks) =>
    cursorsWith(new Set(quirks as readonly Quirk[])).encode(keyId.slice(0, -1)),
};

/** The replies of v2, as far as the page reads them. */
interface ListReply {
  readonly data: readonly KeyRecordV2[];
  readonly pagination: ListKeysResultV2["pagination"];
}

const v2: Interface<ListReply, { readonly data: object }, VerifyKeyData> = {
  toCall: ({ apiId, cursor, decrypt, externalId, limit }) => ({
    path: "v2/apis.listKeys",
    method: "POST",
    body: {
      apiId,
      limit,
      cursor,
      ...(externalId && { externalId }),
      ...(decrypt && { decrypt }),
    },
  }),
  toPage: ({ data, pagination }) => ({
    keys: data.map((record) => {
      const { credits, identity, keyId, ratelimits = [] } = record;
      const externalId = identity?.externalId;
      return {
        ...record,
        id: keyId,
        remaining: credits?.remaining,
        refill: credits?.refill,
        externalId,
        owner: externalId,
        ratelimits: ratelimits.map((ratelimit) => ({
          ...ratelimit,
          counting: `autoApply: ${ratelimit.autoApply}`,
        })),
        settings: { ...record, externalId, permissions: ownPermissions(record) },
        record,
      };
    }),
    cursor: pagination.cursor,
    total: undefined,
  }),
  toData: ({ data }) => data,
  toVerified: ({ code, credits, ratelimits = [] }) => ({ code, credits, ratelimits }),
  canRotate: true,
  // A cursor names the first key of its page.
  cursorAt: (keyId) => keyId,
};

export const interfaces = { v1, v2 } satisfies Record<VersionName, object>;

/** The version that keys are replaced through; undefined if none of these can. */
export function rotatingOf(versions: readonly VersionName[]): VersionName | undefined {
  return versions.find((version) => interfaces[version].canRotate);
}

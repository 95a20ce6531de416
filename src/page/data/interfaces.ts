import type { VersionName } from "../../contract/version.ts";
import type { VerifyKeyResult } from "../../operations/v1/verify-key.ts";
import type { VerifyKeyData } from "../../operations/v2/verify-key.ts";
import type { ListedKey } from "./listed-key.ts";

// The rest of the page does not know in which forms the versions of the interface send keys.

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

/** What differs between the versions of the interface. */
interface Interface<Reply, Outcome> {
  /** What an operation answers. */
  toData(reply: Reply): unknown;
  toVerified(data: Outcome): Verified;
  /** The members of a key that `keys.updateKey` changes, as it takes them. */
  toSettings(key: ListedKey): object;
  /** The call that shows a recoverable key with its value. */
  toValueCall(keyId: string): { path: string; method: string; body?: object };
  /** Whether keys can be replaced. */
  readonly canRotate: boolean;
}

const v1: Interface<object, VerifyKeyResult> = {
  toData: (reply) => reply,
  toVerified: ({ code, ratelimit, remaining }) => ({
    code,
    credits: remaining,
    ratelimits: ratelimit === undefined ? [] : [{ ...ratelimit, name: "" }],
  }),
  toSettings({ identity, ...key }) {
    const { ownerId, permissions, ratelimits, roles } = key;
    const { async = true, duration, limit } = ratelimits.find(isDefault) ?? {};
    const toItem = (name: string) => ({ name });
    return {
      ...key,
      expires: key.expires || undefined,
      externalId: identity?.externalId,
      // Where there is an external id, this is the same text.
      ownerId: identity === undefined ? ownerId : undefined,
      ratelimit: limit === undefined ? undefined : { async, limit, duration },
      roles: roles.map(toItem),
      permissions: permissions.map(toItem),
    };
  },
  toValueCall: (keyId) => ({
    path: `v1/keys.getKey?${new URLSearchParams({ keyId, decrypt: "true" })}`,
    method: "GET",
  }),
  canRotate: false,
};

/** v1 knows only the rate limit called `default`. */
function isDefault({ name }: { readonly name: string }): boolean {
  return name === "default";
}

const v2: Interface<{ readonly data: object }, VerifyKeyData> = {
  toData: ({ data }) => data,
  toVerified: ({ code, credits, ratelimits = [] }) => ({ code, credits, ratelimits }),
  toSettings: ({ identity, ...key }) => ({
    ...key,
    expires: key.expires || undefined,
    externalId: identity?.externalId,
    credits:
      key.remaining === undefined ? undefined : { remaining: key.remaining, refill: key.refill },
  }),
  toValueCall: (keyId) => ({
    path: "v2/keys.getKey",
    method: "POST",
    body: { keyId, decrypt: true },
  }),
  canRotate: true,
};

export const interfaces = { v1, v2 } satisfies Record<VersionName, object>;

/** The version that the page speaks: the newest that is served. */
export function spokenOf(served: readonly VersionName[]): VersionName {
  return served.includes("v2") ? "v2" : "v1";
}

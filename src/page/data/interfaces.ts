import type { VerifyKeyData } from "../../service/operations/v2/verify-key.ts";
import type { ListedKey } from "./listed-key.ts";

/** What the service answers when it creates or replaces a key. */
export interface MadeKey {
  readonly key: string;
  readonly keyId: string;
}

/** The outcome of a verification. */
export type Verified = VerifyKeyData;

/** The members of a key that `keys.updateKey` changes, as it takes them. */
export function toSettings({ identity, ...key }: ListedKey): object {
  return {
    ...key,
    expires: key.expires || undefined,
    externalId: identity?.externalId,
    credits:
      key.remaining === undefined ? undefined : { remaining: key.remaining, refill: key.refill },
  };
}

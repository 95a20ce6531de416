import { copyJson } from "../../base/json.ts";
import { readOrThrow } from "../../schema/problems.ts";
import { type Key, keyInit, type KeyInput } from "../keys/key.ts";
import type { Time } from "../time/time-text.ts";
import type { Draft } from "./library.ts";

type Rewritten = "createdAt" | "credits" | "expires" | "externalId" | "lastUsedAt" | "updatedAt";

/** A draft of a key: times in every spelling, and the names of v1 and of v2. */
export interface KeyDraft extends Omit<Draft<Key>, Rewritten> {
  get createdAt(): number;
  set createdAt(time: Time);
  get updatedAt(): number | undefined;
  set updatedAt(time: Time | undefined);
  get lastUsedAt(): number | undefined;
  set lastUsedAt(time: Time | undefined);
  get expires(): number | undefined;
  set expires(time: Time | undefined);
  /** The same as `ownerId`. Setting it also links the key with that identity, which is created if needed. */
  externalId: string | undefined;
  /** The same as `remaining` and `refill`; undefined for any number of uses. */
  get credits(): (Pick<Draft<Key>, "refill"> & { remaining: number }) | undefined;
  set credits(credits: KeyInput["credits"]);
}

/** A copy of a key with the members of v2. They are not enumerable, so no member is written twice. */
export function toKeyDraft(key: Key): object {
  return Object.defineProperties(copyJson<object>(key), spellingsOfV2);
}

type Members = Pick<Draft<Key>, "identityId" | "ownerId" | "refill" | "remaining">;

const spellingsOfV2: PropertyDescriptorMap & ThisType<Members> = {
  externalId: {
    get() {
      return this.ownerId;
    },
    set(externalId: string | undefined) {
      this.ownerId = externalId;
      this.identityId = undefined;
    },
  },
  credits: {
    get() {
      return this.remaining === undefined ? undefined : toCredits(this);
    },
    set(credits: KeyInput["credits"]) {
      readOrThrow(keyInit().shape.credits, credits, "key: credits");
      const { refill, remaining = null } = credits ?? {};
      // The update resolves a time that counts from now.
      Object.assign(this, { remaining: remaining ?? undefined, refill: refill && { ...refill } });
    },
  },
};

function toCredits(draft: Members): object {
  return {
    get remaining() {
      return draft.remaining;
    },
    set remaining(uses) {
      draft.remaining = uses ?? undefined;
    },
    get refill() {
      return draft.refill;
    },
    set refill(refill) {
      draft.refill = refill;
    },
  };
}

import type { IdentityState, KeyState } from "../../control/record-kinds.ts";
import { toRelative } from "./time.ts";

/** The answer of the control route of keys. */
export interface KeyList {
  readonly keys: readonly KeyState[];
  readonly identities: readonly IdentityState[];
  /** The verifications of each key on the last 30 days, the oldest day first. */
  readonly usage: readonly (readonly number[])[];
  /** How many keys match. */
  readonly total: number;
}

/** The state of a key names an expiry in less than this time (ms). */
const SOON = 7 * 86_400_000;

/** The state of a key in a word, and the tone of its badge. */
export function statusOf(key: KeyState, now: number) {
  const { enabled, expires = Infinity, remaining = Infinity } = key;
  if (!enabled) return { word: "disabled", tone: "off" };
  // In the millisecond of `expires`, a key is still valid.
  if (expires < now) return { word: "expired", tone: "bad" };
  if (remaining <= 0) return { word: "used up", tone: "warn" };
  if (expires - now >= SOON) return { word: "active", tone: "good" };
  return { word: `expires ${toRelative(expires, now)}`, tone: "warn" };
}

/** The name of a key, else its id. */
export function titleOf({ id, name }: Pick<KeyState, "id" | "name">): string {
  return name === undefined || name.trim() === "" ? id : name;
}

/** The name of a customer: the `name` in the `meta` of the identity, else the external id. */
export function customerName({ externalId, meta }: IdentityState): string {
  const name = meta?.["name"];
  return typeof name === "string" && name !== "" ? name : externalId;
}

/** Like `1,000` or `unlimited`. */
export function usesOf({ remaining }: KeyState): string {
  return remaining === undefined ? "unlimited" : Math.max(0, remaining).toLocaleString("en");
}

/** Like `refilled to 1,000 each day`; undefined for a key without a refill. */
export function refillOf({ refill }: KeyState): string | undefined {
  if (refill === undefined) return undefined;
  const { amount, interval, refillDay = 1 } = refill;
  const when = interval === "daily" ? "each day" : `on day ${refillDay} of each month`;
  return `refilled to ${amount.toLocaleString("en")} ${when}`;
}

import { defineRule, keep } from "../rule.ts";
import { elapsed, isSameCall, isSentAfter, isShort, type Remembered } from "../seen-call.ts";

/** How many creates without a reply are remembered of a token, and how many requests of each. */
const [MAX_LOST, MAX_REQUESTS] = [8, 100];
/** Later, the same body may well be meant for another key. Milliseconds. */
const PERIOD = 60_000;
/** With one of these, a client finds out that the key was made, or shows that it knows. */
const LOOK_UPS = [
  "apis.listKeys",
  "keys.deleteKey",
  "keys.getKey",
  "keys.rerollKey",
  "keys.verifyKey",
  "keys.whoami",
];

/** Creates with the same body, since the first without a reply. */
interface Lost {
  /** Those without a reply. */
  readonly calls: Remembered[];
  /** These, and the one that repeated them with success. Each made a key. */
  readonly requests: string[];
}

/**
 * `keys.createKey` is sent again with the same body, within a minute after a fault lost the reply,
 * although the key was made already, and without a look-up (like `listKeys`) between.
 */
export const createRepeated = defineRule({
  name: "create-repeated",
  advice:
    'A create that got no reply may have made its key. List the keys of the owner before you send it again. Clients 2.x of @unkey/api send it again by themselves: make the client with retryConfig: { strategy: "none" }.',
  operations: new Set(["keys.createKey", ...LOOK_UPS]),
  watch(world) {
    let lost: Lost[] = [];
    return (call) => {
      const { isLost, operation, requestId, status } = call;
      if (operation !== "keys.createKey") {
        lost = [];
        return undefined;
      }
      const isMade = isLost || status === 200;
      if (!isMade || (!isLost && lost.length === 0)) return undefined;
      const same = lost.find(({ calls: [first] }) => first && isSameCall(call, first.call));
      if (same === undefined) {
        if (!isLost || !isShort(call)) return undefined;
        keep(lost, { calls: [world.remember(call)], requests: [requestId] }, MAX_LOST);
        return undefined;
      }
      const { calls, requests } = same;
      const [first = requestId] = requests;
      const now = world.now();
      const isRepeated = calls.some(
        (earlier) => isSentAfter(call, earlier) && elapsed(earlier.at, now) <= PERIOD,
      );
      if (isLost) keep(calls, world.remember(call), MAX_LOST);
      else if (isRepeated) lost = lost.filter((each) => each !== same);
      if (isLost || isRepeated) keep(requests, requestId, MAX_REQUESTS);
      if (!isRepeated) return undefined;
      const why = `keys.createKey was sent again with the same body, because the client got no usable reply, but the key was made already: these calls made ${requests.length} keys, and the client knows the value of one at most`;
      return { subject: first, why, requests };
    };
  },
});

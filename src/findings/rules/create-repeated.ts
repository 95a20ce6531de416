import { defineRule, keep } from "../rule.ts";
import { isSameCall, isSentAfter, isShort, type Remembered } from "../seen-call.ts";

/** How many creates without a reply are remembered of a token, and how many requests of each. */
const [MAX_LOST, MAX_REQUESTS] = [8, 100];
/** With one of these, a client can find out that the key was made. */
const LOOK_UPS = new Set(["apis.listKeys", "keys.getKey", "keys.verifyKey"]);

/** Creates with the same body, since the first whose reply was lost. */
interface Lost {
  /** Those whose reply was lost. */
  readonly calls: Remembered[];
  /** All of them; each made a key. */
  readonly requests: string[];
}

/**
 * `keys.createKey` is sent again with the same body after a fault lost the reply, although the key was
 * made already, and without a look-up (`listKeys`, `getKey` or `verifyKey`) between.
 */
export const createRepeated = defineRule({
  name: "create-repeated",
  advice:
    'A create that got no reply may have made its key. List the keys of the owner before you send it again. Clients 2.x of @unkey/api send it again by themselves: create them with retryConfig: { strategy: "none" }.',
  watch(world) {
    let lost: Lost[] = [];
    return (call) => {
      const { lostBy, operation, requestId, status } = call;
      if (lost.length > 0 && LOOK_UPS.has(operation ?? "")) lost = [];
      if (operation !== "keys.createKey") return undefined;
      const isMade = lostBy !== undefined || status === 200;
      if (!isMade || (lostBy === undefined && lost.length === 0)) return undefined;
      const same = lost.find(({ calls: [first] }) => first && isSameCall(call, first.call));
      if (same === undefined) {
        if (lostBy === undefined || !isShort(call)) return undefined;
        keep(lost, { calls: [world.remember(call)], requests: [requestId] }, MAX_LOST);
        return undefined;
      }
      const { calls, requests } = same;
      const [first = requestId] = requests;
      keep(requests, requestId, MAX_REQUESTS);
      const isRepeated = calls.some((earlier) => isSentAfter(call, earlier));
      if (lostBy !== undefined) keep(calls, world.remember(call), MAX_LOST);
      else if (isRepeated) lost = lost.filter((each) => each !== same);
      if (!isRepeated) return undefined;
      const why = `keys.createKey was sent again with the same body, because the client got no usable reply, but the key was made already: ${requests.length} keys were made where one was wanted`;
      return { subject: first, why, requests };
    };
  },
});

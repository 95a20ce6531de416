import { defineRule } from "../rule.ts";
import { nameOf } from "../seen-call.ts";

/**
 * Times in seconds from 2001 to 2286 have ten digits. In milliseconds, such a number is a day of early
 * 1970. Other days of the past may be chosen on purpose, for a key that has expired.
 */
const [FIRST_SECONDS, FIRST_MILLISECONDS] = [1e9, 1e10];

/**
 * `expires` has ten digits: a time in seconds, where milliseconds belong. It is no finding while the
 * emulator's clock is before 1970-04-26. An own operation may mean something else by `expires`.
 */
export const expiresInSeconds = defineRule({
  name: "expires-in-seconds",
  advice:
    "Send unix milliseconds: Date.now() + 86_400_000 is tomorrow. A time in seconds has to be multiplied by 1,000.",
  operations: new Set(["keys.createKey", "keys.migrateKeys", "keys.updateKey"]),
  watch(world) {
    return (call) => {
      const { input, requestId } = call;
      const expires = expiresIn(input);
      if (expires === undefined || world.now().emulated < FIRST_MILLISECONDS) return undefined;
      const name = nameOf(call);
      const why = `${name} was sent expires: ${expires}, which the service reads as milliseconds: ${dayOf(expires)}. As seconds, it would be ${dayOf(expires * 1_000)}`;
      return { subject: name, why, requests: [requestId] };
    };
  },
});

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The first `expires` that is too small, of the input or of one of its keys. */
function expiresIn(input: unknown): number | undefined {
  const { expires, keys } = Object(input) as {
    readonly expires?: unknown;
    readonly keys?: unknown;
  };
  const isNumber = typeof expires === "number";
  if (isNumber && expires >= FIRST_SECONDS && expires < FIRST_MILLISECONDS) return expires;
  // keys.migrateKeys takes a list of keys.
  if (!Array.isArray(keys)) return undefined;
  return keys.map(expiresIn).find((found) => found !== undefined);
}

import { defineRule, keep } from "../rule.ts";
import {
  elapsed,
  isSameCall,
  isSentAfter,
  isShort,
  nameOf,
  type Instant,
  type Remembered,
  type SeenCall,
} from "../seen-call.ts";

/** How many calls to wait for are remembered of a token. */
const MAX_WAITS = 8;
/** Timers of clients fire a little early at times, in milliseconds. */
const TOLERANCE = 10;

interface Wait {
  readonly refused: Remembered;
  /** Milliseconds. */
  readonly length: number;
  /** The first request of the series. */
  readonly subject: string;
}

/**
 * A call is sent again, unchanged, sooner than the `Retry-After` of the reply to it, by the real clock
 * and by the emulator's.
 */
export const retriedTooSoon = defineRule({
  name: "retried-too-soon",
  advice:
    "Wait for as many seconds as Retry-After says before you send the call again. Tell such a reply by its status, not by the class of the error that a client library throws.",
  watch(world) {
    let waits: Wait[] = [];
    return (call) => {
      const { requestId, status = 0 } = call;
      if (waits.length === 0 && status < 400) return undefined;
      const now = world.now();
      const earlier = waits.find(
        ({ refused }) => isSameCall(call, refused.call) && isSentAfter(call, refused),
      );
      const passed = earlier === undefined ? 0 : elapsed(earlier.refused.at, now);
      const isTooSoon = earlier !== undefined && passed < earlier.length - TOLERANCE;
      waits = waits.filter((each) => each !== earlier);
      const length = waitOf(call, now);
      if (length !== undefined && isShort(call)) {
        const series = isTooSoon
          ? earlier
          : waits.find(({ refused }) => isSameCall(call, refused.call));
        const subject = series?.subject ?? requestId;
        keep(waits, { refused: world.remember(call), length, subject }, MAX_WAITS);
      }
      if (!isTooSoon) return undefined;
      const { refused, subject } = earlier;
      const why = `${nameOf(call)} was answered ${refused.call.status} and asked by Retry-After to wait for ${seconds(earlier.length)} s, but was sent again unchanged after ${seconds(passed)} s`;
      return { subject, why, requests: [subject, requestId] };
    };
  },
});

/** How long a reply asks to wait, in milliseconds; undefined if it does not. */
function waitOf({ headers, status = 0 }: SeenCall, now: Instant): number | undefined {
  if (status < 400) return undefined;
  const name = Object.keys(headers).find((each) => each.toLowerCase() === "retry-after");
  const value = name === undefined ? "" : (headers[name] ?? "");
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  // The other form is a date, like `Fri, 31 Dec 1999 23:59:59 GMT`.
  const until = Date.parse(value);
  return Number.isNaN(until) ? undefined : until - Math.max(now.date, now.emulated);
}

function seconds(milliseconds: number): string {
  return String(Math.round(milliseconds / 100) / 10);
}

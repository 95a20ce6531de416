import type { OutcomeCounts } from "../../api/outcomes.ts";
import { fractionOf, randomWords } from "../../base/random.ts";
import { Key } from "../keys/key.ts";
import { DAY } from "../time/refill.ts";

/** The verifications of a key on a day (numbered from 1970 on); undefined outside its history. */
export type CountsOn = (day: number) => OutcomeCounts | undefined;

/** A day of the weekend has this share of the verifications of a working day. */
const WEEKEND = { from: 0.25, to: 0.65 };
/** How much the verifications grow from one working day to the next. */
const GROWTH = { from: 0.0005, to: 0.007 };
/** Random jitter between days, as a fraction of a working day. */
const UNEVEN = 0.12;
/** The share of days on which a rate limit refuses some, and the largest share that it refuses. */
const [LIMITED_DAYS, LIMITED_SHARE] = [0.15, 0.1];

/**
 * The history of a key; undefined if it has none. It depends only on what never changes: the id of the key, its
 * creation, and the stored parameters that `generate` has drawn.
 *
 * At each midnight we know how many working days of traffic have passed. The verifications of a day are the
 * difference between two midnights, in whole numbers, so any sum over days is exact, even for a key with little
 * traffic.
 */
export function historyOf(key: Key): CountsOn | undefined {
  const history = Key.historyOf(key);
  if (history === undefined) return undefined;
  const { limited = false, perDay, refused } = history;
  const [first, end] = [dayOf(key.createdAt) + 1, dayOf(history.until)];
  const refusedFrom = refused === undefined ? Infinity : dayOf(refused.from);
  const word = randomWords(`${key.id}/history`);
  const between = ({ from, to }: typeof WEEKEND) => from + (to - from) * (word() / 0x1_0000_0000);
  const [weekend, growth] = [between(WEEKEND), between(GROWTH)];
  const [moved, limits] = [word(), word()];
  const until = workOf(end, weekend);
  /** Minus the verifications from the start of a day to the end of the history. */
  const countFrom = (day: number) => {
    if (day >= end) return 0;
    const move = UNEVEN * (2 * fractionOf(moved, end - day) - 1);
    const work = workOf(day, weekend) - until + move;
    return Math.floor((perDay * Math.expm1(growth * work)) / growth);
  };
  // Callers ask for the days in order.
  let [next, fromNext] = [NaN, 0];
  return (day) => {
    if (day < first || day >= end) return undefined;
    const fromDay = day === next ? fromNext : countFrom(day);
    [next, fromNext] = [day + 1, countFrom(day + 1)];
    const total = fromNext - fromDay;
    if (refused !== undefined && day >= refusedFrom) return { [refused.as]: total };
    const draw = limited ? fractionOf(limits, day) / LIMITED_DAYS : 1;
    const over = draw < 1 ? Math.floor(total * LIMITED_SHARE * draw) : 0;
    return { VALID: total - over, RATE_LIMITED: over };
  };
}

/** The working days from 1970 to a day. A day of the weekend counts as a fraction of one. */
function workOf(day: number, weekend: number): number {
  // 1970 began on a Thursday.
  const [weeks, ofWeek] = [Math.floor((day + 3) / 7), (day + 3) % 7];
  const working = 5 * weeks + Math.min(ofWeek, 5);
  return working + weekend * (day + 3 - working);
}

function dayOf(time: number): number {
  return Math.floor(time / DAY);
}

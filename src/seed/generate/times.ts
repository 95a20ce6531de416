import { idAfter, type IdPrefix } from "../../state/ids/id-maker.ts";
import { Draw } from "./draw.ts";
import { LATENESS, shares, SPAN } from "./shares.ts";

/** Milliseconds. */
const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/**
 * When a key was created, as milliseconds from the start of the period in which all keys are created.
 * Times of day are mostly working hours. As the period moves with the date by whole days, two keys never
 * change places.
 * @param place the place in the period, from 0 to 1
 */
export function creationIn(place: number, draw: Draw): number {
  const day = Math.floor((SPAN / DAY) * place ** LATENESS);
  const time = draw.chance(shares.atWork) ? 8 + 10 * draw.fraction() : 24 * draw.fraction();
  return day * DAY + Math.floor(time * HOUR);
}

/**
 * The id of a made-up record. Unlike other ids it does not contain a date, because it has to be the same
 * on every day. Made-up keys sort by their creation, and before those that are created later.
 * @param address selects the random bytes
 * @param time milliseconds from the start of the period. Default: a random time in it
 */
export function madeUpId(
  prefix: IdPrefix,
  address: string,
  time = new Draw(`${address}/time`).integer(0, SPAN),
): string {
  return idAfter(prefix, time, `${address}/id`);
}

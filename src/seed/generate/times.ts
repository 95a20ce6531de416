import { idAfter, type IdPrefix } from "../../state/id-maker.ts";
import { DAY } from "../../state/time/refill.ts";
import { Draw } from "./draw.ts";
import { LATENESS, SPAN } from "./parameters.ts";

/** Milliseconds. */
const HOUR = DAY / 24;

/**
 * When a key was created, as milliseconds from the start of the period in which all keys are created.
 * Times of day are from 7:00 to 19:00 UTC. As the period moves with the date by whole days, two keys
 * never change places.
 * @param place the place in the period, from 0 to 1
 */
export function creationIn(place: number, draw: Draw): number {
  const day = Math.floor((SPAN / DAY) * place ** LATENESS);
  const time = 7 + 12 * draw.fraction();
  return day * DAY + Math.floor(time * HOUR);
}

/**
 * The id of a generated record. Unlike other ids it does not contain a date, because it has to be the
 * same on every day. Generated keys sort by their creation, and before keys that are created later.
 * @param address selects the random bytes
 * @param time milliseconds from the start of the period. Default: a random time in it
 */
export function generatedId(
  prefix: IdPrefix,
  address: string,
  time = new Draw(`${address}/time`).integer(0, SPAN),
): string {
  return idAfter(prefix, time, `${address}/id`);
}

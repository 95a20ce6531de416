import type { Draw } from "./draw.ts";
import { LATENESS, shares, SPAN } from "./shares.ts";

/** Milliseconds. */
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** A random time in the period before `until`. Later times are more likely. */
export function sometimeBefore(until: number, draw: Draw): number {
  const last = Math.max(0, until - 1_000);
  return last - Math.floor(Math.min(SPAN, last) * (1 - draw.fraction() ** LATENESS));
}

/**
 * Moves most times to an earlier one on a working day between 08:00 and 18:00 UTC. The result is
 * never before `since`.
 */
export function atWork(time: number, since: number, draw: Draw): number {
  if (!draw.chance(shares.atWork)) return Math.max(since, time);
  const start = Math.floor(time / DAY) * DAY;
  const weekday = new Date(start).getUTCDay();
  const away = weekday === 6 ? 1 : weekday === 0 ? 2 : 0;
  const moved = start - away * DAY + 8 * HOUR + Math.floor(draw.fraction() * 10 * HOUR);
  const earlier = moved > time ? moved - (weekday === 1 ? 3 : 1) * DAY : moved;
  return earlier >= since ? earlier : Math.max(since, time);
}

// Numbers and times in words. Not with `Intl`, which loads data for languages at its first use.

/** Digits in groups, like `1,234,567`. */
export function withCommas(number: number | string): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Like `1st`, `12th`, `1,022nd`. */
export function ordinal(count: number): string {
  const isTeen = Math.floor(count / 10) % 10 === 1;
  const ending = isTeen ? "th" : (["th", "st", "nd", "rd"][count % 10] ?? "th");
  return `${withCommas(count)}${ending}`;
}

const UNITS = [
  [86_400_000, "day", "d"],
  [3_600_000, "hour", "h"],
  [60_000, "minute", "min"],
  [1_000, "second", "s"],
] as const;

/** A window, exactly: `60 s`, `10 min`, `1 h`. */
export function toSpan(milliseconds: number): string {
  const [size, , short] = UNITS.find(([unit]) => milliseconds % unit === 0) ?? [1, "", "ms"];
  return `${withCommas(milliseconds / size)} ${short}`;
}

/** A limit and its window, like `1,000 per 1 min`. */
export function toRate(limit: number, duration: number): string {
  return `${withCommas(limit)} per ${toSpan(duration)}`;
}

/** A wait, rounded up: `in 400 ms`, `in 12 s`, `in 3 min`. */
export function toWait(milliseconds: number): string {
  const [size, , short] = UNITS.find(([unit]) => milliseconds >= 2 * unit) ?? UNITS[3];
  if (milliseconds < 1_000) return `in ${milliseconds} ms`;
  return `in ${withCommas(Math.ceil(milliseconds / size))} ${short}`;
}

/** A time that has passed, rounded: `2 minutes ago`, `1 hour ago`, `just now`. */
export function toAgo(milliseconds: number): string {
  const [size, unit] = UNITS.find(([each]) => milliseconds >= each) ?? [1, undefined];
  if (unit === undefined) return "just now";
  const count = Math.round(milliseconds / size);
  return `${withCommas(count)} ${unit}${count === 1 ? "" : "s"} ago`;
}

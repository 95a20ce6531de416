/** Like `2026-01-31 14:05:09`, in UTC. A time that `Date` cannot represent is shown in milliseconds. */
export function toUtc(time: number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return `${time} ms`;
  return date
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, "");
}

const steps = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** From this age (ms) on, a date says more than a number of months. */
const OLD = 30 * 86_400_000;

/** Like `in 3 days`, `2 hours ago`; the date in UTC of a time that is more than 30 days ago. */
export function toRelative(time: number, now: number): string {
  const span = time - now;
  if (span < -OLD) return toUtc(time).slice(0, 10);
  const [unit, size] = steps.find(([, step]) => Math.abs(span) >= step) ?? ["second", 1_000];
  return relative.format(Math.trunc(span / size), unit);
}

/** Like `60 s`, `10 min`, `1 h`. */
export function toSpan(milliseconds: number): string {
  const spans = [
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "min"],
    [1_000, "s"],
  ] as const;
  const [size, unit] = spans.find(([span]) => milliseconds % span === 0) ?? [1, "ms"];
  return `${(milliseconds / size).toLocaleString("en")} ${unit}`;
}

/** A limit and its window, like `1,000 per 1 min`. */
export function toRate(limit: number, duration: number): string {
  return `${limit.toLocaleString("en")} per ${toSpan(duration)}`;
}

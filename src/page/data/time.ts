const [inWords, inNumbers] = (["auto", "always"] as const).map(
  (numeric) => new Intl.RelativeTimeFormat("en", { numeric }),
) as [Intl.RelativeTimeFormat, Intl.RelativeTimeFormat];

/** Like `25 Nov 2026 09:00:43`, in UTC. A time that `Date` cannot represent is shown in milliseconds. */
export function toUtc(time: number): string {
  return isShown(time) ? `${toDay(time)} ${toClock(time)}` : `${time} ms`;
}

/** Like `25 Nov 2026`, in UTC. */
export function toDay(time: number): string {
  if (!isShown(time)) return `${time} ms`;
  // Not Intl.DateTimeFormat: the first one takes Chromium longer than the rest of this page.
  const [, day, month, year] = new Date(time).toUTCString().split(" ");
  return `${Number(day)} ${month} ${year}`;
}

/** Like `09:00:43`, in UTC. */
export function toClock(time: number): string {
  return isShown(time) ? new Date(time).toISOString().slice(11, 19) : "";
}

function isShown(time: number): boolean {
  return !Number.isNaN(new Date(time).getTime());
}

const steps = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** From this age (ms) on, a date says more than a number of months. */
const OLD = 30 * 86_400_000;

/** The unit (ms) below one of `steps`. */
function nextOf(index: number): number {
  return steps[index + 1]?.[1] ?? 0;
}

/** Like `in 3 days`, `2 hours ago`, rounded to the nearest; the date of a time that is more than 30 days ago. */
export function toRelative(time: number, now: number): string {
  const span = time - now;
  if (span < -OLD) return toDay(time);
  // 59.5 minutes are 1 hour, so the next smaller unit decides.
  const index = steps.findIndex(([, step], at) => Math.abs(span) + nextOf(at) / 2 >= step);
  const [unit, size] = steps.at(index) ?? steps[5];
  const count = Math.sign(span) * Math.round(Math.abs(span) / size);
  // `tomorrow` and `now`, but neither `next year` nor `next month`, which can be soon.
  const isNear = unit === "day" || count === 0;
  return (isNear ? inWords : inNumbers).format(count, unit);
}

import type { Usage, UsageOfDay } from "../../state/usage/usage.ts";
import { toDay } from "../data/time.ts";

/** Calls a day as small bars. */
export function Spark({ days }: { readonly days: readonly number[] }) {
  const top = Math.max(...days, 0);
  if (top === 0) return <span class="soft">no use</span>;
  const bars = days.map((count, index) => {
    const height = Math.max(count === 0 ? 0 : 1, Math.round((22 * count) / top));
    return `M${index * 3} 22v-${height}h2v${height}z`;
  });
  const sum = days.reduce((all, count) => all + count, 0).toLocaleString("en");
  return (
    <svg class="spark" viewBox="0 0 90 22" role="img" aria-label={`${sum} uses in 30 days`}>
      <path d={bars.join("")} />
    </svg>
  );
}

const words: Readonly<Record<string, string>> = {
  VALID: "valid",
  RATE_LIMITED: "rate limited",
  USAGE_EXCEEDED: "without uses left",
  DISABLED: "while disabled",
  EXPIRED: "after the expiry",
  INSUFFICIENT_PERMISSIONS: "without the permission",
  FORBIDDEN: "for another API",
};

const HEIGHT = 72;

/** The uses of each day, with refused uses on top. */
export function Chart({ usage }: { readonly usage: Usage }) {
  const { days, outcomes, total } = usage;
  const each = HEIGHT / Math.max(1, ...days.map((day) => day.total));
  const parts = Object.entries(outcomes).map(
    ([outcome, count]) => `${count.toLocaleString("en")} ${words[outcome] ?? outcome}`,
  );
  const text = total === 0 ? "not used in these 30 days" : parts.join(" · ");
  const [first, last] = [days[0], days.at(-1)].map((day) => day && shortDay(day));
  const step = 100 / days.length;
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 100 ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Uses by day, from ${first} to ${last}: ${text}`}
      >
        {days.map((day, index) => {
          const { VALID: valid = 0 } = day.outcomes;
          const [all, good] = [day.total * each, valid * each];
          const [x, width] = [index * step, step * 0.72];
          return (
            <g key={day.day}>
              <title>{`${shortDay(day)}: ${day.total.toLocaleString("en")} uses, ${(day.total - valid).toLocaleString("en")} of them refused`}</title>
              <rect class="space" x={x} y={0} width={step} height={HEIGHT} />
              <rect class="good" x={x} y={HEIGHT - good} width={width} height={good} />
              {all > good && (
                <rect class="bad" x={x} y={HEIGHT - all} width={width} height={all - good} />
              )}
            </g>
          );
        })}
      </svg>
      <figcaption>
        <span>{first}</span>
        <span>{text}</span>
        <span>{last}</span>
      </figcaption>
    </figure>
  );
}

function shortDay({ day }: UsageOfDay): string {
  return toDay(Date.parse(day)).replace(/ \d+$/, "");
}

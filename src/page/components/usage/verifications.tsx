import type { Usage } from "../../../state/history/usage.ts";
import { Chart } from "./chart.tsx";

/** The verifications of some days, by outcome. */
export function Verifications({ of: { days, total } }: { readonly of: Usage }) {
  if (total === 0) {
    return <p class="dim empty">There were no verifications in these {days.length} days.</p>;
  }
  const bars = days.map(({ day, outcomes }) => ({ name: day, counts: outcomes }));
  return <Chart title="Verifications" unit="day" bars={bars} toShort={toShort} />;
}

/** Like `31 Jan`. */
function toShort(day: string): string {
  return new Date(day).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });
}

import type { RecordedRequest } from "../../../world/journal/recorded-request.ts";
import { isSuccess, outcomeOf } from "../../data/outcome.ts";
import { toUtc } from "../../data/time.ts";
import { Chart } from "./chart.tsx";
import type { Bar } from "./bar.ts";

const MINUTE = 60_000;
/** The strip ends with the newest call. */
const MINUTES = 30;

/** A strip of calls by minute and outcome, for the journal. */
export function CallsByMinute({ of: requests }: { readonly of: readonly RecordedRequest[] }) {
  if (requests.length === 0) return null;
  const newest = requests.reduce((last, { time }) => Math.max(last, time), 0);
  const first = Math.floor(newest / MINUTE) - MINUTES + 1;
  const bars = Array.from({ length: MINUTES }, (_, index) => ({
    name: toUtc((first + index) * MINUTE).slice(0, -3),
    counts: {} as Record<string, number>,
  }));
  for (const request of requests) {
    const counts = bars[Math.floor(request.time / MINUTE) - first]?.counts;
    const word = wordOf(request);
    if (counts !== undefined) counts[word] = (counts[word] ?? 0) + 1;
  }
  return <Chart title="Calls" unit="minute" bars={bars satisfies Bar[]} toShort={toShort} />;
}

/** The code of a verification, or in short what became of another call. */
function wordOf(request: RecordedRequest): string {
  if (!isSuccess(request)) return request.status === undefined ? "no reply" : "refused";
  const { operation } = request;
  return (operation === "keys.verifyKey" ? outcomeOf(request).word : undefined) ?? "done";
}

/** Like `14:05`. */
function toShort(minute: string): string {
  return minute.slice(-5);
}

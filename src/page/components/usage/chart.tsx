import { max, nice } from "d3-array";
import { scaleBand } from "d3-scale";
import { outcomes } from "../../../api/outcomes.ts";
import { sumOf, type Bar } from "./bar.ts";
import { Numbers } from "./numbers.tsx";

interface ChartProps {
  /** What is counted, like `Verifications`. */
  readonly title: string;
  /** What a bar is, like `day`. */
  readonly unit: string;
  /** In the order of time. */
  readonly bars: readonly Bar[];
  /** A short name of a bar, below the first and the last one. */
  readonly toShort: (name: string) => string;
}

const compact = new Intl.NumberFormat("en", { notation: "compact" });

/**
 * Counts over time as stacked bars, with a legend and the same numbers as a table. All colours come from
 * the style sheet, by outcome.
 */
export function Chart({ bars, title, toShort, unit }: ChartProps) {
  const came = outcomesIn(bars);
  const sums = bars.map((bar) => sumOf(bar.counts));
  const [, top = 1] = nice(0, max(sums) ?? 1, 4);
  const whole = sums.reduce((sum, count) => sum + count, 0);
  const [first, last] = [bars[0]?.name ?? "", bars.at(-1)?.name ?? ""];
  return (
    <figure class="chart">
      <Legend bars={bars} outcomes={came} />
      <div class="plot">
        <span class="most">{compact.format(top)}</span>
        {top % 2 === 0 && <span class="half">{compact.format(top / 2)}</span>}
        <span class="none">0</span>
        <Bars
          bars={bars}
          outcomes={came}
          top={top}
          label={`${title} by ${unit}, from ${first} to ${last}: ${whole.toLocaleString("en")}`}
        />
        <span class="first">{toShort(first)}</span>
        <span class="last">{toShort(last)}</span>
      </div>
      <Numbers title={title} unit={unit} bars={bars} outcomes={came} />
    </figure>
  );
}

interface BarsProps {
  readonly bars: readonly Bar[];
  readonly outcomes: readonly string[];
  /** The count at the upper edge. */
  readonly top: number;
  readonly label: string;
}

function Bars({ bars, label, outcomes: came, top }: BarsProps) {
  const place = scaleBand<string>(
    bars.map(({ name }) => name),
    [0, 100],
  ).paddingInner(0.25);
  return (
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={label}>
      <path class="grid" d="M0 0H100M0 50H100M0 100H100" />
      {bars.flatMap((bar) =>
        stacked(bar, came).map(({ from, outcome, to }) => (
          <rect
            key={`${bar.name} ${outcome}`}
            data-outcome={outcome}
            x={place(bar.name)}
            y={100 - (100 * to) / top}
            width={place.bandwidth()}
            height={(100 * (to - from)) / top}
          />
        )),
      )}
      {bars.map((bar) => (
        <rect
          key={bar.name}
          class="hover"
          x={place(bar.name)}
          y={0}
          width={place.bandwidth()}
          height={100}
        >
          <title>{describe(bar, came)}</title>
        </rect>
      ))}
    </svg>
  );
}

/** The parts of a bar, from its foot upwards. */
function stacked({ counts }: Bar, came: readonly string[]) {
  let to = 0;
  return came.flatMap((outcome) => {
    const from = to;
    to += counts[outcome] ?? 0;
    return to > from ? [{ outcome, from, to }] : [];
  });
}

function Legend({ bars, outcomes: came }: Pick<BarsProps, "bars" | "outcomes">) {
  return (
    <ul class="legend" aria-label="Outcomes">
      {came.map((outcome) => (
        <li key={outcome} data-outcome={outcome}>
          {outcome}{" "}
          <span class="uses">
            {bars.reduce((sum, { counts }) => sum + (counts[outcome] ?? 0), 0).toLocaleString("en")}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** In this order, so that the parts of bars do not change places. */
const order: readonly string[] = ["VALID", "done", ...outcomes, "refused", "no reply"];

/** The outcomes that came. */
function outcomesIn(bars: readonly Bar[]): readonly string[] {
  const came = new Set(bars.flatMap(({ counts }) => Object.keys(counts)));
  return [...new Set(order)].filter((outcome) => came.has(outcome));
}

function describe({ counts, name }: Bar, all: readonly string[]): string {
  const came = all.filter((outcome) => counts[outcome] !== undefined);
  const shown = came.map((outcome) => `${(counts[outcome] ?? 0).toLocaleString("en")} ${outcome}`);
  return `${name}: ${shown.length === 0 ? "none" : shown.join(", ")}`;
}

import { useState } from "preact/hooks";
import { sumOf, type Bar } from "./bar.ts";

interface NumbersProps {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
  readonly outcomes: readonly string[];
}

/** The numbers of a chart as a table, behind a fold, the newest first. */
export function Numbers({ bars, outcomes, title, unit }: NumbersProps) {
  const [isOpen, setOpen] = useState(false);
  const came = bars.filter(({ counts }) => sumOf(counts) > 0);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        // The tabIndex lets keyboard users scroll a long table.
        <div class="table" tabIndex={0} role="region" aria-label={`${title} as a table`}>
          <table>
            <caption class="visually-hidden">
              {title} by {unit}. Those without any are left out.
            </caption>
            <thead>
              <tr>
                <th scope="col">{unit}</th>
                <th scope="col">all</th>
                {outcomes.map((outcome) => (
                  <th key={outcome} scope="col">
                    {outcome}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {came.toReversed().map(({ counts, name }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{sumOf(counts).toLocaleString("en")}</td>
                  {outcomes.map((outcome) => (
                    <td key={outcome}>{(counts[outcome] ?? 0).toLocaleString("en")}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

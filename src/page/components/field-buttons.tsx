import { useContext } from "preact/hooks";
import { toField } from "../data/change.ts";
import { PageContext } from "../data/page-context.ts";
import { timeOf } from "../data/use-world.ts";

/** How far from now a time is usually chosen, with its milliseconds. */
const spans: readonly (readonly [label: string, time: number])[] = [
  ["in an hour", 3_600_000],
  ["in a day", 86_400_000],
  ["in 30 days", 30 * 86_400_000],
  ["in a year", 365 * 86_400_000],
];

/** Buttons that fill in a time by the clock of the emulator. */
export function Spans({ onChange }: Pick<TogglesProps, "onChange">) {
  const { clock } = useContext(PageContext);
  if (clock === undefined) return null;
  return (
    <span class="toggles">
      {spans.map(([label, span]) => (
        <button
          key={label}
          type="button"
          class="quiet"
          onClick={() => onChange(toField(timeOf(clock) + span))}
        >
          {label}
        </button>
      ))}
    </span>
  );
}

interface TogglesProps {
  readonly names: readonly string[];
  /** The names in the field, with commas between. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Buttons that add a name to a list, or remove it. */
export function Toggles({ names, onChange, value }: TogglesProps) {
  const chosen = value.split(",").flatMap((name) => name.trim() || []);
  return (
    <span class="toggles">
      {names.map((name) => {
        const isChosen = chosen.includes(name);
        const next = isChosen ? chosen.filter((one) => one !== name) : [...chosen, name];
        return (
          <button
            key={name}
            type="button"
            class="quiet"
            aria-pressed={isChosen}
            onClick={() => onChange(next.join(", "))}
          >
            {name}
          </button>
        );
      })}
    </span>
  );
}

import { useState } from "preact/hooks";
import { hashOf, type ViewState } from "../data/view-state.ts";

/** Filters the keys by external id. The filter is kept in the URL. */
export function OwnerFilter({ viewState }: { readonly viewState: ViewState }) {
  const [text, setText] = useState(viewState.externalId);
  const filter = (externalId: string) => {
    location.hash = hashOf(viewState, { externalId });
  };
  return (
    <span class="search">
      <input
        type="search"
        aria-label="External id"
        placeholder="exact external id"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          // The clear button of a search field sends no key, so an empty field removes the filter.
          if (currentTarget.value === "" && viewState.externalId !== "") filter("");
        }}
        onKeyDown={({ key }) => {
          if (key === "Enter") filter(text);
        }}
        spellcheck={false}
        autocomplete="off"
      />
      <button type="button" onClick={() => filter(text)}>
        Filter
      </button>
    </span>
  );
}

interface ChoiceProps<Value> {
  readonly label: string;
  readonly title?: string;
  readonly options: readonly Value[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

export function Choice<Value extends string | number>(props: ChoiceProps<Value>) {
  const { label, onChange, options, title, value } = props;
  return (
    <label title={title}>
      {label}{" "}
      <select
        value={String(value)}
        onInput={({ currentTarget }) => {
          const chosen = options[currentTarget.selectedIndex];
          if (chosen !== undefined) onChange(chosen);
        }}
      >
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}

interface CheckProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly title: string;
  readonly children: string;
}

export function Check({ children, isOn, onChange, title }: CheckProps) {
  return (
    <label title={title}>
      <input
        type="checkbox"
        checked={isOn}
        onInput={({ currentTarget }) => onChange(currentTarget.checked)}
      />{" "}
      {children}
    </label>
  );
}

import { useState } from "preact/hooks";
import { hashOf, type ViewState } from "../data/view-state.ts";

interface SearchFieldProps {
  readonly label: string;
  /** Shown while the field is empty. */
  readonly hint: string;
  readonly submit: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** A field for a text that is searched when the user is ready. */
export function SearchField({ hint, label, onSearch, submit, value }: SearchFieldProps) {
  const [text, setText] = useState(value);
  return (
    <span class="search">
      <input
        type="search"
        aria-label={label}
        placeholder={hint}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          // The clear button of a search field sends no key, so an empty field ends the search.
          if (currentTarget.value === "" && value !== "") onSearch("");
        }}
        onKeyDown={({ key }) => {
          if (key === "Enter") onSearch(text);
        }}
        spellcheck={false}
        autocomplete="off"
      />
      <button type="button" onClick={() => onSearch(text)}>
        {submit}
      </button>
    </span>
  );
}

/** Filters the keys by external id. The filter is kept in the URL. */
export function OwnerFilter({ viewState }: { readonly viewState: ViewState }) {
  return (
    <SearchField
      label="External id"
      hint="exact external id"
      submit="Filter"
      value={viewState.externalId}
      onSearch={(externalId) => {
        location.hash = hashOf(viewState, { externalId });
      }}
    />
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

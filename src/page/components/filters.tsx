import { useEffect, useRef, useState } from "preact/hooks";

/** How long after the last key stroke a search begins (ms). */
const PAUSE = 250;

interface SearchFieldProps {
  readonly label: string;
  /** Shown while the field is empty. */
  readonly hint: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** A field for a text that is searched while the user types. */
export function SearchField({ hint, label, onSearch, value }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const searched = useRef(value);
  // The filters may change before the search begins.
  const latest = useRef(onSearch);
  latest.current = onSearch;
  const search = () => {
    searched.current = text;
    latest.current(text);
  };
  useEffect(() => {
    // A link or the back button led to another search.
    if (value !== searched.current) setText((searched.current = value));
  }, [value]);
  useEffect(() => {
    if (text === searched.current) return undefined;
    const timer = setTimeout(search, PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      class="search"
      type="search"
      aria-label={label}
      placeholder={hint}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onKeyDown={({ key }) => {
        if (key === "Enter") search();
      }}
      spellcheck={false}
      autocomplete="off"
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

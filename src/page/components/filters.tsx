import { useState } from "preact/hooks";
import { hashOf, type ViewState } from "../data/view-state.ts";

/** Only the keys of one external id, which the address remembers. */
export function OwnerFilter({ place }: { readonly place: ViewState }) {
  const [wanted, setWanted] = useState(place.externalId);
  const look = (externalId: string) => {
    location.hash = hashOf(place, { externalId });
  };
  return (
    <span class="search">
      <input
        type="search"
        aria-label="External id"
        placeholder="exact external id"
        value={wanted}
        onInput={({ currentTarget }) => {
          setWanted(currentTarget.value);
          // What the little cross of the field empties.
          if (currentTarget.value === "" && place.externalId !== "") look("");
        }}
        onKeyDown={({ key }) => {
          if (key === "Enter") look(wanted);
        }}
        spellcheck={false}
        autocomplete="off"
      />
      <button type="button" onClick={() => look(wanted)}>
        Filter
      </button>
    </span>
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

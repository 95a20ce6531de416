import { keyStates, type KeyState } from "../../data/key-filter.ts";
import { hashOf, type ViewState } from "../../data/view-state.ts";
import { Choice, SearchField } from "../filters.tsx";

const ANY = "any";
const names = [undefined, ...(Object.keys(keyStates) as KeyState[])];
const words = [ANY, ...Object.values(keyStates)];

/** Which keys the list shows. It is kept in the URL. */
export function KeyFilters({ viewState }: { readonly viewState: ViewState }) {
  const { externalId, search, state } = viewState;
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <SearchField
        label="Find keys"
        hint="name, customer, external id, start or id"
        value={search}
        onSearch={(text) => location.replace(hashOf(viewState, { search: text }))}
      />
      <Choice
        label="state"
        options={words}
        value={state === undefined ? ANY : keyStates[state]}
        onChange={(word) => {
          location.hash = hashOf(viewState, { state: names[words.indexOf(word)] });
        }}
      />
      {externalId !== "" && (
        <span class="chosen">
          only <bdi>{externalId}</bdi>{" "}
          <a href={hashOf(viewState, { externalId: "" })} aria-label="Show all customers">
            ×
          </a>
        </span>
      )}
    </form>
  );
}

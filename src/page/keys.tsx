import { useState } from "preact/hooks";
import type { Client } from "./client.ts";
import { CreateKey } from "./create-key.tsx";
import { KeyRow } from "./key-row.tsx";
import { hashOf, type Place } from "./place.ts";
import { Refusal } from "./refusal.tsx";
import { usePage, type Paging } from "./use-page.ts";
import type { ApiState } from "./use-world.ts";

const LIMITS = [10, 25, 50, 100];

interface KeysProps {
  readonly client: Client;
  readonly api: ApiState;
  readonly apis: readonly ApiState[];
  readonly place: Place;
  readonly now: number;
  readonly revision: number;
}

/** The keys of an API, page by page. */
export function Keys({ api, apis, client, now, place, revision }: KeysProps) {
  const [limit, setLimit] = useState(25);
  const [decrypt, setDecrypt] = useState(false);
  const [isSeen, setSeen] = useState(false);
  const [isCreating, setCreating] = useState(false);
  const { externalId } = place;
  const listing = { apiId: api.id, externalId, limit, decrypt, isSeen };
  const paging = usePage(client, listing, revision);
  return (
    <section class="panel keys" aria-labelledby="keys">
      <header>
        <div class="names">
          <h2 id="keys">
            <bdi>{api.name ?? api.id}</bdi>
          </h2>
          <code>{api.id}</code>
        </div>
        <button type="button" class="main" onClick={() => setCreating(true)}>
          Create a key
        </button>
      </header>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <OwnerFilter key={`${api.id} ${externalId}`} place={place} />
        <label>
          per page{" "}
          <select
            value={String(limit)}
            onInput={({ currentTarget }) => setLimit(Number(currentTarget.value))}
          >
            {LIMITS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <Check isOn={decrypt} onChange={setDecrypt} title="Shows the values of recoverable keys.">
          show values
        </Check>
        <Check
          isOn={isSeen}
          onChange={setSeen}
          title="Faults strike the calls of this list, and the journal holds them. Else it looks without being seen."
        >
          as a client
        </Check>
      </form>
      <Refusal lines={paging.lines} />
      <Rows paging={paging} now={now} externalId={externalId} />
      <Pager paging={paging} total={api.keys} />
      {isCreating && (
        <CreateKey client={client} api={api} apis={apis} onClose={() => setCreating(false)} />
      )}
    </section>
  );
}

function OwnerFilter({ place }: Pick<KeysProps, "place">) {
  const [wanted, setWanted] = useState(place.externalId);
  const look = (externalId: string) => {
    location.hash = hashOf(place, { externalId });
  };
  return (
    <span class="search">
      <input
        type="search"
        aria-label="External id"
        placeholder="external id"
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

function Check({ children, isOn, onChange, title }: CheckProps) {
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

interface RowsProps {
  readonly paging: Paging;
  readonly now: number;
  readonly externalId: string;
}

function Rows({ externalId, now, paging: { isLoading, lines, page } }: RowsProps) {
  if (page === undefined) {
    return lines.length === 0 && isLoading ? <p class="dim empty">Looking…</p> : null;
  }
  if (page.keys.length === 0) {
    const why =
      externalId === ""
        ? "There are no keys here."
        : "Nobody with this external id has a key here.";
    return <p class="dim empty">{why}</p>;
  }
  return (
    <ul class="rows" aria-busy={isLoading}>
      {page.keys.map((key) => (
        <KeyRow key={key.id} of={key} now={now} />
      ))}
    </ul>
  );
}

function Pager({ paging, total }: { readonly paging: Paging; readonly total: number }) {
  const { number, page, reload, toNext, toPrevious } = paging;
  const count = page?.keys.length ?? 0;
  return (
    <footer class="pager">
      <span class="dim" role="status">
        page {number}: {count} of {(page?.total ?? total).toLocaleString("en")} keys of the API
      </span>
      <span class="buttons">
        <button type="button" class="quiet" onClick={reload}>
          Reload
        </button>
        <button type="button" disabled={toPrevious === undefined} onClick={toPrevious}>
          Previous
        </button>
        <button type="button" disabled={toNext === undefined} onClick={toNext}>
          Next
        </button>
      </span>
    </footer>
  );
}

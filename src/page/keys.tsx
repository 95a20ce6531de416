import { useEffect, useRef, useState } from "preact/hooks";
import { cursorsWith } from "../contract/cursor.ts";
import type { Quirk } from "../contract/quirks.ts";
import type { Client } from "./client.ts";
import { CreateKey } from "./create-key.tsx";
import { KeyRow } from "./key-row.tsx";
import { hashOf, type Place } from "./place.ts";
import { Refusal } from "./refusal.tsx";
import type { Draft } from "./schema.ts";
import { usePage, type Paging } from "./use-page.ts";
import type { ApiState, WorkspaceState } from "./use-world.ts";

const LIMITS = [10, 25, 50, 100];

interface KeysProps {
  readonly client: Client;
  readonly api: ApiState;
  readonly workspace: WorkspaceState;
  readonly place: Place;
  readonly now: number;
  readonly revision: number;
}

/** The keys of an API, page by page. */
export function Keys({ api, client, now, place, revision, workspace }: KeysProps) {
  const [limit, setLimit] = useState(25);
  const [decrypt, setDecrypt] = useState(false);
  const [isSeen, setSeen] = useState(false);
  const [isCreating, setCreating] = useState(false);
  const [draft, setDraft] = useState<Draft>({});
  const [wanted, want] = useState<string>();
  const panel = useRef<HTMLElement>(null);
  const { externalId } = place;
  const listing = { apiId: api.id, externalId, limit, decrypt, isSeen };
  const paging = usePage(client, listing, revision);
  useEffect(() => {
    if (wanted === undefined) return;
    paging.jump(cursorBefore(wanted, workspace));
    want(undefined);
  }, [wanted, api.id, externalId]);
  const show = (keyId: string, apiId: string) => {
    location.hash = hashOf(place, { apiId, externalId: "", view: "keys" });
    want(keyId);
    setCreating(false);
  };
  const turn = (to: (() => void) | undefined) =>
    to &&
    (() => {
      to();
      panel.current?.scrollIntoView({ block: "nearest" });
    });
  return (
    <section class="panel keys" aria-labelledby="keys" tabIndex={-1} ref={panel}>
      <header>
        <div class="names">
          <h2 id="keys">
            <bdi>{api.name ?? api.id}</bdi>
          </h2>
          <code>{api.id}</code>
        </div>
        <button
          type="button"
          class="main"
          onClick={() => {
            setDraft({ ...draft, apiId: api.id });
            setCreating(true);
          }}
        >
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
      {isSeen && (
        <p class="hint">Faults strike this list, and the journal holds it. Reload to ask again.</p>
      )}
      {decrypt && paging.page?.keys.every(({ plaintext }) => plaintext === undefined) && (
        <p class="hint">No key on this page is recoverable.</p>
      )}
      <Refusal lines={paging.lines} />
      <Rows paging={paging} now={now} place={place} />
      <Pager
        paging={{ ...paging, toNext: turn(paging.toNext), toPrevious: turn(paging.toPrevious) }}
      />
      {isCreating && (
        <CreateKey
          client={client}
          apis={workspace.apis}
          draft={draft}
          onDraft={setDraft}
          onShow={show}
          onClose={() => setCreating(false)}
        />
      )}
    </section>
  );
}

/** A position right before a key: that of an id which is its beginning, and so is smaller. */
function cursorBefore(keyId: string, { quirks }: WorkspaceState): string {
  return cursorsWith(new Set(quirks as readonly Quirk[])).encode(keyId.slice(0, -1));
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
  readonly place: Place;
}

function Rows({ now, paging: { isLoading, lines, page }, place }: RowsProps) {
  if (page === undefined) {
    return lines.length === 0 && isLoading ? <p class="dim empty">Looking…</p> : null;
  }
  if (page.keys.length === 0) {
    const why =
      place.externalId === ""
        ? "There are no keys here."
        : "Nobody with this external id has a key here.";
    return <p class="dim empty">{why}</p>;
  }
  return (
    <div class="list">
      {/* Each cell says what it is; for eyes that go down a column. */}
      <div class="heads" aria-hidden="true">
        <span>key</span>
        <span>external id</span>
        <span>state</span>
        <span>uses</span>
        <span>created</span>
      </div>
      <ul class="rows" aria-busy={isLoading}>
        {page.keys.map((key) => (
          <KeyRow key={key.id} of={key} now={now} place={place} />
        ))}
      </ul>
    </div>
  );
}

function Pager({ paging }: { readonly paging: Paging }) {
  const { number, page, reload, toNext, toPrevious } = paging;
  return (
    <footer class="pager">
      <span class="dim" role="status">
        {page &&
          `page ${number}: ${page.keys.length} of ${page.total.toLocaleString("en")} keys of the API, in the order of their ids`}
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

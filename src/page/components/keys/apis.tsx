import { useState } from "preact/hooks";
import type { VersionName } from "../../../contract/version.ts";
import { ApiDialog } from "./api-dialog.tsx";
import type { Client } from "../../data/client.ts";
import { hashOf, type ViewState } from "../../data/view-state.ts";
import type { ApiState, WorkspaceState } from "../../data/use-world.ts";

/** With at least so many APIs, there is a search field. */
const MANY = 8;
const MAX_SHOWN = 200;

interface ApisProps {
  readonly client: Client;
  readonly version: VersionName;
  readonly workspace: WorkspaceState;
  readonly viewState: ViewState;
  readonly chosen: ApiState | undefined;
}

/** The APIs, with the number of their keys, and buttons to create one and to delete the chosen one. */
export function Apis({ chosen, client, version, viewState, workspace: { apis } }: ApisProps) {
  const [asked, setAsked] = useState<"create" | "delete">();
  const [wanted, setWanted] = useState("");
  const found = apis.filter(({ id, name = "" }) =>
    `${id} ${name}`.toLowerCase().includes(wanted.toLowerCase()),
  );
  return (
    <nav class="apis" aria-label="APIs">
      <h2>APIs</h2>
      {apis.length >= MANY && (
        <input
          type="search"
          aria-label="Find an API"
          placeholder="Find an API"
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      )}
      <ul>
        {found.slice(0, MAX_SHOWN).map((api) => (
          <li key={api.id}>
            <a
              href={hashOf(viewState, { apiId: api.id, view: "keys" })}
              aria-current={api.id === chosen?.id ? "true" : undefined}
            >
              <span class="names">
                <bdi class="title">{api.name ?? api.id}</bdi>
                {api.name !== undefined && <code>{api.id}</code>}
              </span>
              <span class="count" title={api.keyspace ? "keys" : "It has no keyspace."}>
                {api.keyspace ? api.keys.toLocaleString("en") : "–"}
                <span class="visually-hidden"> keys</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
      {found.length > MAX_SHOWN && (
        <p class="dim">and {(found.length - MAX_SHOWN).toLocaleString("en")} more</p>
      )}
      {apis.length === 0 && <p class="dim">There are no APIs.</p>}
      <div class="buttons">
        <button type="button" onClick={() => setAsked("create")}>
          Create an API
        </button>
        {chosen !== undefined && (
          <button type="button" class="quiet" onClick={() => setAsked("delete")}>
            Delete this API
          </button>
        )}
      </div>
      {asked !== undefined && (
        <ApiDialog
          client={client}
          version={version}
          deleted={asked === "delete" ? chosen : undefined}
          onShow={(apiId) => {
            location.hash = hashOf(viewState, { apiId, externalId: "", view: "keys" });
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </nav>
  );
}

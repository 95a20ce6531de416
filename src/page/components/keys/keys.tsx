import { useEffect, useState } from "preact/hooks";
import type { Client } from "../../data/client.ts";
import { Check, Choice, OwnerFilter } from "../filters.tsx";
import { interfaces, rotatingOf } from "../../data/interfaces.ts";
import { KeyDialog } from "./key-dialog.tsx";
import type { KeyTask } from "./key-task.ts";
import { countOf, KeyList } from "./key-list.tsx";
import { hashOf, versionOf, type ViewState } from "../../data/view-state.ts";
import { Pager } from "../pager.tsx";
import { Refusal } from "../refusal.tsx";
import type { Draft } from "../../data/schema.ts";
import { useKeys } from "../../data/use-lists.ts";
import type { ApiState, WorkspaceState } from "../../data/use-world.ts";

const LIMITS = [10, 25, 50, 100];

interface KeysProps {
  readonly client: Client;
  readonly api: ApiState;
  readonly workspace: WorkspaceState;
  readonly viewState: ViewState;
  readonly now: number;
  readonly revision: number;
}

/** A new key whose page the list goes to. */
interface KeyToShow {
  readonly keyId: string;
  readonly apiId: string;
}

/** The keys of an API, page by page. */
export function Keys({ api, client, now, viewState, revision, workspace }: KeysProps) {
  const [limit, setLimit] = useState(25);
  const [decrypt, setDecrypt] = useState(false);
  const [isSeen, setSeen] = useState(false);
  const [task, setTask] = useState<KeyTask>();
  // By kind of task, so that the form for a new key keeps its contents while it is closed.
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const [keyToShow, setKeyToShow] = useState<KeyToShow>();
  const { externalId } = viewState;
  const { quirks, versions } = workspace;
  const version = versionOf(viewState, versions);
  const listing = { version, apiId: api.id, externalId, limit, decrypt, isSeen };
  const paging = useKeys(client, listing, revision);
  useEffect(() => {
    // The change of the URL that leads to this API may not have taken effect yet.
    if (keyToShow === undefined || keyToShow.apiId !== api.id || externalId !== "") return;
    paging.jump(interfaces[version].cursorAt(keyToShow.keyId, quirks));
    setKeyToShow(undefined);
  }, [keyToShow, api.id, externalId]);
  const show = (keyId: string, apiId: string) => {
    location.hash = hashOf(viewState, { apiId, externalId: "", view: "keys" });
    setKeyToShow({ keyId, apiId });
    setTask(undefined);
  };
  const start = (next: KeyTask, members: Draft = {}) => {
    const kept = "key" in next ? {} : drafts[next.kind];
    setDrafts({ ...drafts, [next.kind]: { ...kept, ...members } });
    setTask(next);
  };
  return (
    <section class="panel keys" aria-labelledby="keys" tabIndex={-1}>
      <header>
        <div class="names">
          <h2 id="keys">
            <bdi>{api.name ?? api.id}</bdi>
          </h2>
          <span class="dim">
            <code>{api.id}</code>
            {api.keyspaceId !== undefined && (
              <>
                , keyspace <code>{api.keyspaceId}</code>
              </>
            )}
          </span>
        </div>
        <span class="buttons">
          {versions.length > 1 && (
            <Choice
              label="version"
              title="The version of the interface that the page calls."
              options={versions}
              value={version}
              onChange={(chosen) => {
                location.hash = hashOf(viewState, { version: chosen });
              }}
            />
          )}
          <button type="button" onClick={() => start({ kind: "verify" })}>
            Verify a key
          </button>
          <button
            type="button"
            class="main"
            onClick={() => start({ kind: "create" }, { apiId: api.id })}
          >
            Create a key
          </button>
        </span>
      </header>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <OwnerFilter key={`${api.id} ${externalId}`} viewState={viewState} />
        <Choice label="per page" options={LIMITS} value={limit} onChange={setLimit} />
        <Check isOn={decrypt} onChange={setDecrypt} title="Shows the values of recoverable keys.">
          show values
        </Check>
        <Check
          isOn={isSeen}
          onChange={setSeen}
          title="If checked, faults apply to the calls of this list, and the journal records them. Otherwise these calls leave no trace."
        >
          call as a client
        </Check>
      </form>
      {isSeen && (
        <p class="hint">
          Faults apply to this list, and the journal records it. Reload to call again.
        </p>
      )}
      {decrypt && paging.page?.keys.every(({ plaintext }) => plaintext === undefined) && (
        <p class="hint">No key on this page is recoverable.</p>
      )}
      <Refusal lines={paging.lines} />
      <KeyList
        paging={paging}
        now={now}
        viewState={viewState}
        canRotate={rotatingOf(versions) !== undefined}
        onTask={start}
      />
      <Pager paging={paging} count={paging.page && countOf(paging.page)} />
      {task !== undefined && (
        <KeyDialog
          task={task}
          client={client}
          version={version}
          versions={versions}
          apis={workspace.apis}
          apiId={api.id}
          now={now}
          draft={drafts[task.kind] ?? {}}
          onDraft={(draft) => setDrafts({ ...drafts, [task.kind]: draft })}
          onTask={start}
          onShow={show}
          onClose={() => setTask(undefined)}
        />
      )}
    </section>
  );
}

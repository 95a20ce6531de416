import { useState } from "preact/hooks";
import type { Client } from "../../data/client.ts";
import { useRights } from "../../data/page-context.ts";
import type { Draft } from "../../data/schema.ts";
import { hashOfKey, type ViewState } from "../../data/view-state.ts";
import type { ApiState, WorkspaceState } from "../../../control/route-schemas.ts";
import { KeyDialog } from "./key-dialog.tsx";
import { KeyFilters } from "./key-filters.tsx";
import { KeyList } from "./key-list.tsx";
import type { KeyTask } from "./key-task.ts";

interface KeysProps {
  readonly client: Client;
  readonly api: ApiState;
  readonly workspace: WorkspaceState;
  readonly viewState: ViewState;
  readonly now: number;
  readonly revision: number;
}

/** The keys of an API, and what can be done with them. */
export function Keys({ api, client, now, viewState, revision, workspace }: KeysProps) {
  const [task, setTask] = useState<KeyTask>();
  // By kind of task, so that the form for a new key keeps its contents while it is closed.
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const may = useRights();
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
          {may("keys.verifyKey", api.id) && (
            <button type="button" onClick={() => start({ kind: "verify" })}>
              Verify a key
            </button>
          )}
          {may("keys.createKey", api.id) && (
            <button
              type="button"
              class="main"
              onClick={() => start({ kind: "create" }, { apiId: api.id })}
            >
              Create a key
            </button>
          )}
        </span>
      </header>
      <KeyFilters viewState={viewState} />
      <KeyList
        // Another API begins without the keys of the one before.
        key={api.id}
        apiId={api.id}
        client={client}
        revision={revision}
        now={now}
        viewState={viewState}
        onTask={start}
      />
      {task !== undefined && (
        <KeyDialog
          task={task}
          client={client}
          apis={workspace.apis}
          apiId={api.id}
          now={now}
          draft={drafts[task.kind] ?? {}}
          onDraft={(draft) => setDrafts({ ...drafts, [task.kind]: draft })}
          onTask={start}
          onShow={(keyId, apiId) => {
            location.hash = hashOfKey(keyId, apiId);
            setTask(undefined);
          }}
          onClose={() => setTask(undefined)}
        />
      )}
    </section>
  );
}

import { useEffect, useState } from "preact/hooks";
import type { Client } from "../../data/client.ts";
import { toListed, type KeyReply } from "../../data/listed-key.ts";
import { useRoute } from "../../data/use-route.ts";
import { hashOf, wholeList, type ViewState } from "../../data/view-state.ts";
import { Refusal } from "../refusal.tsx";
import { KeyHeads } from "./key-heads.tsx";
import { KeyPager } from "./key-pager.tsx";
import { KeyRow } from "./key-row.tsx";
import type { OnTask } from "./key-task.ts";

interface KeyListProps {
  readonly apiId: string;
  readonly client: Client;
  readonly revision: number;
  readonly now: number;
  readonly viewState: ViewState;
  readonly onTask: OnTask;
}

/** A page of the keys of an API, which the emulator filters and sorts. The list follows changes. */
export function KeyList({ revision, ...shared }: KeyListProps) {
  const { apiId, client, viewState } = shared;
  const [limit, setLimit] = useState(25);
  const { keyId } = viewState;
  const route = `/keys?${queryOf(apiId, viewState, limit)}`;
  const { answer, isLoading, lines } = useRoute<KeyReply>(client, route, revision);
  const { total = 0, offset = 0 } = answer ?? {};
  useEffect(() => {
    // The keys of the last page were deleted.
    if (isLoading || offset === 0 || offset < total) return;
    location.replace(hashOf(viewState, { page: Math.max(1, Math.ceil(total / limit)) }));
  }, [isLoading, offset, total]);
  if (answer === undefined) {
    if (lines.length === 0) return <p class="dim empty">Looking…</p>;
    if (keyId === undefined) return <Refusal lines={lines} />;
    return (
      <p class="dim empty">
        The key <code>{keyId}</code> is not here. It was deleted, or is of another API.{" "}
        <a href={hashOf(viewState, { ...wholeList })}>Show all keys</a>
      </p>
    );
  }
  const keys = toListed(answer);
  return (
    <>
      {keys.length === 0 ? (
        <p class="dim empty">{isFiltered(viewState) ? NO_MATCH : NO_KEYS}</p>
      ) : (
        <div class="list">
          <KeyHeads viewState={viewState} />
          <ul class="rows" aria-busy={isLoading}>
            {keys.map((key) => {
              const isShown = key.id === keyId;
              // Another component when it is to be shown, so that it opens.
              return (
                <KeyRow
                  key={`${key.id} ${isShown}`}
                  of={key}
                  isShown={isShown}
                  {...shared}
                  page={answer}
                />
              );
            })}
          </ul>
        </div>
      )}
      <KeyPager
        viewState={viewState}
        offset={offset}
        count={keys.length}
        total={total}
        limit={limit}
        onLimit={setLimit}
      />
    </>
  );
}

const NO_MATCH = "No key matches.";
const NO_KEYS = "There are no keys here.";

function isFiltered({ externalId, search, state }: ViewState): boolean {
  return externalId !== "" || search !== "" || state !== undefined;
}

function queryOf(apiId: string, viewState: ViewState, limit: number): URLSearchParams {
  const { externalId, keyId, page, search, sort, state } = viewState;
  return new URLSearchParams({
    apiId,
    sort,
    limit: String(limit),
    ...(keyId === undefined ? { offset: String((page - 1) * limit) } : { at: keyId }),
    ...(externalId !== "" && { externalId }),
    ...(search !== "" && { search }),
    ...(state !== undefined && { state }),
  });
}

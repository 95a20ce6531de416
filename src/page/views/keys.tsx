import { useState } from "preact/hooks";
import { pluralize } from "../../base/wording/text.ts";
import type { KeyList } from "../data/key-words.ts";
import { useLive, usePage, useRights } from "../data/page-context.ts";
import { hashOf, keyStates, replacePlace, titles, type Place } from "../data/place.ts";
import { Key } from "./key.tsx";
import { KeyTable } from "./key-table.tsx";
import { Start } from "./start.tsx";
import { View } from "./view.tsx";

/** How many keys the list begins with, and how many it has at most. */
const [STEP, MOST] = [50, 1_000];

/** The keys of an API, and the drawer of the key that is open. */
export function Keys() {
  const { place, world } = usePage();
  const { apis } = world.workspace;
  const api = place.apiId === undefined ? apis[0] : apis.find(({ id }) => id === place.apiId);
  const which = [api?.id, place.search, place.state, place.sort].join("\n");
  const [shown, setShown] = useState({ which, limit: STEP });
  const limit = shown.which === which ? shown.limit : STEP;
  const list = useLive<KeyList>(api && routeOf(api.id, place, limit));
  const { answer, lines } = list;
  const isFiltered = place.search !== "" || place.state !== undefined;
  const isEmpty = answer?.total === 0 && !list.isLoading;
  return (
    <>
      <View
        title={api?.name ?? api?.id ?? place.apiId ?? "Keys"}
        search={["keys", "Name, customer, id"]}
        lines={lines}
        bar={<Bar apiId={api?.id} />}
      >
        {api === undefined ? (
          <Start
            apiId={undefined}
            title={place.apiId === undefined ? "There are no APIs yet." : "This API is not here."}
          />
        ) : isEmpty && !isFiltered ? (
          <Start apiId={api.id} title="There are no keys yet." />
        ) : isEmpty ? (
          <p class="empty">
            No key matches.{" "}
            <a href={hashOf(place, { search: "", state: undefined })}>Show all keys</a>
          </p>
        ) : (
          <KeyTable
            list={answer}
            onEnd={() => limit < MOST && setShown({ which, limit: limit + STEP })}
            foot={answer && footOf(answer, limit)}
          />
        )}
      </View>
      {place.open !== undefined && <Key key={place.open} keyId={place.open} apiId={api?.id} />}
    </>
  );
}

function routeOf(apiId: string, { search, sort, state }: Place, limit: number): string {
  const members = { apiId, limit: String(limit), sort, search, state: state ?? "", usage: "true" };
  const given = Object.entries(members).filter(([, text]) => text !== "");
  return `/keys?${new URLSearchParams(given)}`;
}

function footOf({ keys, total }: KeyList, limit: number): string {
  const all = total.toLocaleString("en");
  if (keys.length === total) return pluralize(total, "key");
  if (limit < MOST) return `${keys.length} of ${all} keys. Scroll for more.`;
  return `The first ${keys.length.toLocaleString("en")} of ${all} keys. Search to find the others.`;
}

function Bar({ apiId }: { readonly apiId: string | undefined }) {
  const { place } = usePage();
  const may = useRights();
  const link = (operation: "keys.createKey" | "keys.verifyKey", name: string) =>
    may(operation, apiId) && (
      <a class={name} href={hashOf(place, { view: "call", apiId, operation, open: place.open })}>
        {titles[operation]}
      </a>
    );
  return (
    <>
      <select
        aria-label="State"
        value={place.state ?? ""}
        onChange={({ currentTarget }) => {
          const state = (currentTarget.value || undefined) as Place["state"];
          replacePlace(place, { state, open: undefined });
        }}
      >
        <option value="">any state</option>
        {Object.entries(keyStates).map(([state, words]) => (
          <option key={state} value={state}>
            {words}
          </option>
        ))}
      </select>
      {link("keys.verifyKey", "button")}
      {link("keys.createKey", "button main")}
    </>
  );
}

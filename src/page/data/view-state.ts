import { useLayoutEffect, useState } from "preact/hooks";
import { defaultSort, sortOf, stateOf, type KeySort, type KeyState } from "./key-filter.ts";

/** Views of records. In a wide window, the last one is beside the other views. */
export const recordViews = ["keys", "usage", "identities", "limits", "roles"] as const;
export type RecordView = (typeof recordViews)[number];
/** Views of what is asked, and of what the emulator as a whole does. */
export const sideViews = ["journal", "findings", "faults", "state"] as const;
export type View = RecordView | (typeof sideViews)[number];

/** What the page shows. It is kept in the URL, so that links and the back button work. */
export interface ViewState {
  readonly view: View;
  /** The view itself, or the one beside it. */
  readonly records: RecordView;
  readonly apiId: string | undefined;
  /** Only keys of this customer; empty for all. */
  readonly externalId: string;
  /** Only keys with this text; empty for all. */
  readonly search: string;
  /** Only keys in this state; undefined for all. */
  readonly state: KeyState | undefined;
  readonly sort: KeySort;
  /** The page of the list of keys, counted from 1. */
  readonly page: number;
  /** The key that is shown open, on the page that has it, instead of `page`. */
  readonly keyId: string | undefined;
  /** The namespace of rate limits; undefined for the first one. */
  readonly namespaceId: string | undefined;
}

function readViewState(hash: string): ViewState {
  const members = new URLSearchParams(hash.replace(/^#/, ""));
  const nameOf = (member: string) => members.get(member) ?? undefined;
  const view = [...recordViews, ...sideViews].find((name) => name === nameOf("view")) ?? "keys";
  return {
    view,
    records: toRecordView(view) ?? toRecordView(nameOf("beside")) ?? "keys",
    apiId: nameOf("api"),
    externalId: nameOf("externalId") ?? "",
    search: nameOf("search") ?? "",
    state: stateOf(nameOf("state")),
    sort: sortOf(nameOf("sort")),
    page: Math.max(1, Math.trunc(Number(nameOf("page") ?? 1)) || 1),
    keyId: nameOf("key"),
    namespaceId: nameOf("namespace"),
  };
}

export function toRecordView(name: string | undefined): RecordView | undefined {
  return recordViews.find((view) => view === name);
}

/**
 * The fragment of the URL for a changed state; members that are left out stay the same. Another list of
 * keys begins at its first page.
 */
export function hashOf(viewState: ViewState, change: Partial<ViewState>): string {
  const next = {
    ...viewState,
    ...(isOtherList(change) && { page: 1, keyId: undefined }),
    ...change,
  };
  const { apiId, externalId, keyId, namespaceId, page, records, search, sort, state, view } = next;
  const beside = toRecordView(view) === undefined && records !== "keys" ? records : undefined;
  const members = new URLSearchParams({
    view,
    ...(beside !== undefined && { beside }),
    ...(apiId !== undefined && { api: apiId }),
    ...(externalId !== "" && { externalId }),
    ...(search !== "" && { search }),
    ...(state !== undefined && { state }),
    ...(sort !== defaultSort && { sort }),
    ...(keyId !== undefined && { key: keyId }),
    ...(page > 1 && keyId === undefined && { page: String(page) }),
    ...(namespaceId !== undefined && { namespace: namespaceId }),
  });
  return `#${members}`;
}

function isOtherList(change: Partial<ViewState>): boolean {
  return ["apiId", "externalId", "search", "state", "sort", "page"].some((name) => name in change);
}

/** Shows all keys of an API. */
export const wholeList = { externalId: "", search: "", state: undefined } as const;

/** Leads to a key in the list of its API, wherever it stands there. Without an API, it is looked up. */
export function hashOfKey(keyId: string, apiId?: string): string {
  const members = { view: "keys", ...(apiId !== undefined && { api: apiId }), key: keyId };
  return `#${new URLSearchParams(members)}`;
}

/** The current view state; follows the URL. */
export function useViewState(): ViewState {
  const [viewState, setViewState] = useState(() => readViewState(location.hash));
  // Listens before the first paint: a link that is clicked right after it would be lost otherwise.
  useLayoutEffect(() => {
    const onChange = () => setViewState(readViewState(location.hash));
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return viewState;
}

import { useEffect, useState } from "preact/hooks";
import type { VersionName } from "../../contract/version.ts";

/** Views of records. In a wide window, the last one is beside the other views. */
const recordViews = ["keys", "usage", "identities", "limits", "roles"] as const;
export type RecordView = (typeof recordViews)[number];
/** Views of what is asked, and of what the emulator as a whole does. */
export const sideViews = ["journal", "findings", "faults", "world"] as const;
export type View = RecordView | (typeof sideViews)[number];

/** What the page shows. It is kept in the URL, so that links and the back button work. */
export interface ViewState {
  readonly view: View;
  /** The view itself, or the one beside it. */
  readonly records: RecordView;
  readonly apiId: string | undefined;
  readonly externalId: string;
  /** The namespace of rate limits; undefined for the first one. */
  readonly namespaceId: string | undefined;
  /** The version of the interface to list and create keys through; it may not be served. */
  readonly version: string | undefined;
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
    namespaceId: nameOf("namespace"),
    version: nameOf("version"),
  };
}

export function toRecordView(name: string | undefined): RecordView | undefined {
  return recordViews.find((view) => view === name);
}

/** The views of records that can be shown. Only operations of v2 list other records than keys. */
export function recordViewsOf(versions: readonly VersionName[]): readonly RecordView[] {
  return versions.includes("v2") ? recordViews : ["keys", "usage"];
}

/** The version to use: the chosen one, if it is served. */
export function versionOf(
  { version }: ViewState,
  served: readonly [VersionName, ...VersionName[]],
): VersionName {
  return served.find((name) => name === version) ?? served[0];
}

/** The fragment of the URL for a changed state; members that are left out stay the same. */
export function hashOf(viewState: ViewState, change: Partial<ViewState>): string {
  const { apiId, externalId, namespaceId, records, version, view } = { ...viewState, ...change };
  const beside = toRecordView(view) === undefined && records !== "keys" ? records : undefined;
  const members = new URLSearchParams({
    view,
    ...(beside !== undefined && { beside }),
    ...(apiId !== undefined && { api: apiId }),
    ...(externalId !== "" && { externalId }),
    ...(namespaceId !== undefined && { namespace: namespaceId }),
    ...(version !== undefined && { version }),
  });
  return `#${members}`;
}

/**
 * The current view state; follows the URL. A view that these versions cannot show gives way to the keys.
 * @param versions undefined until they are known
 */
export function useViewState(versions: readonly VersionName[] | undefined): ViewState {
  const [viewState, setViewState] = useState(() => readViewState(location.hash));
  useEffect(() => {
    const onChange = () => setViewState(readViewState(location.hash));
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  const { records, view } = viewState;
  if (versions === undefined || recordViewsOf(versions).includes(records)) return viewState;
  return { ...viewState, records: "keys", view: view === records ? "keys" : view };
}

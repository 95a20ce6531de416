import { useEffect, useState } from "preact/hooks";
import type { VersionName } from "../../contract/version.ts";

export const views = ["keys", "journal", "faults", "world"] as const;
export type View = (typeof views)[number];

/** What the page shows. It is kept in the URL, so that links and the back button work. */
export interface ViewState {
  readonly view: View;
  readonly apiId: string | undefined;
  readonly externalId: string;
  /** The version of the interface to list and create keys through; it may not be served. */
  readonly version: string | undefined;
}

function readViewState(hash: string): ViewState {
  const members = new URLSearchParams(hash.replace(/^#/, ""));
  return {
    view: views.find((view) => view === members.get("view")) ?? "keys",
    apiId: members.get("api") ?? undefined,
    externalId: members.get("externalId") ?? "",
    version: members.get("version") ?? undefined,
  };
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
  const { apiId, externalId, version, view } = { ...viewState, ...change };
  const members = new URLSearchParams({
    view,
    ...(apiId !== undefined && { api: apiId }),
    ...(externalId !== "" && { externalId }),
    ...(version !== undefined && { version }),
  });
  return `#${members}`;
}

/** The current view state; follows the URL. */
export function useViewState(): ViewState {
  const [viewState, setViewState] = useState(() => readViewState(location.hash));
  useEffect(() => {
    const onChange = () => setViewState(readViewState(location.hash));
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return viewState;
}

import { useEffect, useState } from "preact/hooks";

export const views = ["keys", "journal", "faults", "world"] as const;
export type View = (typeof views)[number];

/** What is looked at. It stands in the address, so that it can be shared and gone back to. */
export interface ViewState {
  readonly view: View;
  readonly apiId: string | undefined;
  readonly externalId: string;
}

function readViewState(hash: string): ViewState {
  const members = new URLSearchParams(hash.replace(/^#/, ""));
  return {
    view: views.find((view) => view === members.get("view")) ?? "keys",
    apiId: members.get("api") ?? undefined,
    externalId: members.get("externalId") ?? "",
  };
}

/** The address of another place; what is not said stays as it is. */
export function hashOf(place: ViewState, change: Partial<ViewState>): string {
  const { apiId, externalId, view } = { ...place, ...change };
  const members = new URLSearchParams({
    view,
    ...(apiId !== undefined && { api: apiId }),
    ...(externalId !== "" && { externalId }),
  });
  return `#${members}`;
}

/** What is looked at, now and after every click. */
export function useViewState(): ViewState {
  const [place, setPlace] = useState(() => readViewState(location.hash));
  useEffect(() => {
    const onChange = () => setPlace(readViewState(location.hash));
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return place;
}

import { useEffect, useState } from "preact/hooks";

export const views = ["keys", "journal", "faults", "world"] as const;
export type View = (typeof views)[number];

/** What is looked at. It stands in the address, so that it can be shared and gone back to. */
export interface Place {
  readonly view: View;
  readonly apiId: string | undefined;
  readonly externalId: string;
}

function readPlace(hash: string): Place {
  const members = new URLSearchParams(hash.replace(/^#/, ""));
  return {
    view: views.find((view) => view === members.get("view")) ?? "keys",
    apiId: members.get("api") ?? undefined,
    externalId: members.get("externalId") ?? "",
  };
}

/** The address of another place; what is not said stays as it is. */
export function hashOf(place: Place, change: Partial<Place>): string {
  const { apiId, externalId, view } = { ...place, ...change };
  const members = new URLSearchParams({
    view,
    ...(apiId !== undefined && { api: apiId }),
    ...(externalId !== "" && { externalId }),
  });
  return `#${members}`;
}

/** What is looked at, now and after every click. */
export function usePlace(): Place {
  const [place, setPlace] = useState(() => readPlace(location.hash));
  useEffect(() => {
    const onChange = () => setPlace(readPlace(location.hash));
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return place;
}

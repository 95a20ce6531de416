import { useLayoutEffect, useState } from "preact/hooks";

/** The views of the page, with the names that people see. APIs have one each, below `keys`. */
export const views = {
  keys: "Keys",
  customers: "Customers",
  limits: "Limits",
  roles: "Roles",
  findings: "Findings",
  call: "Call an operation",
} as const;
export type View = keyof typeof views;

/** The text of buttons that lead to an operation, and the operation's title. */
export const titles = {
  "keys.createKey": "Create key",
  "keys.verifyKey": "Verify",
  "ratelimit.limit": "Count a use",
  "permissions.createRole": "Create a role",
} as const;

/** The states by which keys are chosen, with the words for them. */
export const keyStates = {
  valid: "active",
  disabled: "disabled",
  expired: "expired",
  usedUp: "used up",
} as const;

/** The orders of keys. The first is the default. */
export const keyOrders = {
  "-createdAt": "newest first",
  "-lastUsedAt": "last used first",
  nextExpiry: "next to expire first",
} as const;
export type KeyOrder = keyof typeof keyOrders;

/** The part of the page's state that is in its address. */
export interface Place {
  readonly view: View;
  /** Default: the first API. */
  readonly apiId?: string | undefined;
  readonly search: string;
  readonly state?: keyof typeof keyStates | undefined;
  readonly sort: KeyOrder;
  /** The id of the key or customer in the drawer. */
  readonly open?: string | undefined;
  /** The operation of the view `call`. */
  readonly operation?: string | undefined;
  /** The id of the call that is open. */
  readonly request?: string | undefined;
}

/** The hash of the place, if another page has the address. */
let ownHash: string | undefined;

/** Leaves the address and the history of the tab to the page around this one. */
export function keepPlaceInMemory(): void {
  ownHash = "";
  document.addEventListener("click", (event) => {
    const hash = (event.target as Element).closest("a")?.getAttribute("href");
    if (!hash) return;
    event.preventDefault();
    replaceHash(hash);
  });
}

function replaceHash(hash: string): void {
  if (ownHash === undefined) location.replace(hash);
  else {
    ownHash = hash;
    dispatchEvent(new Event("hashchange"));
  }
}

function readPlace(): Place {
  const members = new URLSearchParams((ownHash ?? location.hash).replace(/^#/, ""));
  const one = <Name extends string>(names: object, text: string | null) =>
    Object.keys(names).find((name) => name === text) as Name | undefined;
  const textOf = (name: string) => members.get(name) || undefined;
  return {
    view: one<View>(views, members.get("view")) ?? "keys",
    apiId: textOf("api"),
    search: members.get("search") ?? "",
    state: one<keyof typeof keyStates>(keyStates, members.get("state")),
    sort: one<KeyOrder>(keyOrders, members.get("sort")) ?? "-createdAt",
    open: textOf("open"),
    operation: textOf("operation"),
    request: textOf("request"),
  };
}

/** The address of a changed place. Members that are left out stay. Another view forgets its search. */
export function hashOf(place: Place, change: Partial<Place>): string {
  const isOther =
    (change.view !== undefined && change.view !== place.view) || change.apiId !== undefined;
  const fresh = { search: "", state: undefined, open: undefined, operation: undefined };
  const next: Place = { ...place, ...(isOther && fresh), ...change };
  const { apiId: api, sort, view, ...others } = next;
  const members = { view, api, ...others, sort: sort === "-createdAt" ? "" : sort };
  const given = Object.entries(members).filter((each): each is [string, string] => !!each[1]);
  return `#${new URLSearchParams(given)}`;
}

/** Changes the address without a step in the history: for each letter of a search, and for closing. */
export function replacePlace(place: Place, change: Partial<Place>): void {
  replaceHash(hashOf(place, change));
}

/** The current place, which follows the address. */
export function usePlace(): Place {
  const [place, setPlace] = useState(readPlace);
  // Listens before the first paint: a link that is clicked right after it would be lost otherwise.
  useLayoutEffect(() => {
    const onChange = () => setPlace(readPlace());
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return place;
}

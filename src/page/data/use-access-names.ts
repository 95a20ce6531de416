import { useEffect, useState } from "preact/hooks";
import type { Client } from "./client.ts";

/** The names to choose from where a key gets roles and permissions. */
export interface AccessNames {
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
}

const none: AccessNames = { roles: [], permissions: [] };
/** More would hide the rest of a form; other names can be typed. */
const LIMIT = 20;

/** The first roles and permissions of the workspace; none until they are loaded. */
export function useAccessNames(client: Client): AccessNames {
  const [names, setNames] = useState(none);
  useEffect(() => {
    const list = <Item>(kind: string) =>
      client.control<Readonly<Record<string, readonly Item[]>>>(`GET /${kind}?limit=${LIMIT}`);
    Promise.all([list<{ name: string }>("roles"), list<{ slug: string }>("permissions")]).then(
      ([{ roles = [] }, { permissions = [] }]) =>
        setNames({
          roles: roles.map(({ name }) => name),
          permissions: permissions.map(({ slug }) => slug),
        }),
      // Without them, names can be typed.
      () => {},
    );
  }, [client]);
  return names;
}

import { ApiSet } from "./records/apis.ts";
import { createIdentities, type Identities } from "./records/identities.ts";
import { type KeyDependencies, KeySet } from "./keys/key-set.ts";
import { RatelimitNamespaces } from "./records/namespaces.ts";
import { createMigrations, type Migrations } from "./records/migrations.ts";
import { renamesOf } from "./records/named-set.ts";
import type { OnChange } from "./records/record-set.ts";
import { createPermissions, type Permissions } from "./records/permissions.ts";
import { createRoles, renamePermissionsOf, type Roles } from "./records/roles.ts";
import { createTokens, type Tokens } from "./records/tokens.ts";

/** The set of each kind of records. */
export interface Sets {
  readonly tokens: Tokens;
  readonly apis: ApiSet;
  readonly permissions: Permissions;
  readonly roles: Roles;
  readonly identities: Identities;
  readonly ratelimitNamespaces: RatelimitNamespaces;
  readonly migrations: Migrations;
  readonly keys: KeySet;
}

interface SetsDependencies extends Pick<KeyDependencies, "clock" | "ids" | "pages" | "warn"> {
  /** Must not be listed as a token, because operations refuse it. */
  readonly controlToken: string | undefined;
  readonly onChange: () => void;
  /** Called for a change of keys or identities, instead of `onChange`. */
  readonly onChangeOfOwners: OnChange<{ readonly id: string }>;
}

/** Makes the sets of a workspace. A change of one may change others, or the JSON of keys. */
export function createSets({
  clock,
  controlToken,
  ids,
  onChange,
  onChangeOfOwners,
  pages,
  warn,
}: SetsDependencies): Sets {
  const source = { ids, clock };
  const tokens = createTokens(controlToken, clock, onChange);
  const apis = new ApiSet(ids, onChange);
  // Keys and roles name only roles and permissions that exist.
  const permissions = createPermissions(source, (change) => {
    const renames = renamesOf("slug", change);
    if (renames.size > 0) {
      renamePermissionsOf(roles, renames);
      keys.rename("permissions", renames);
    }
    onChange();
  });
  const roles = createRoles(source, permissions, (change) => {
    const renames = renamesOf("name", change);
    if (renames.size > 0) keys.rename("roles", renames);
    // The JSON of a key shows the permissions of its roles. No key has a new role yet.
    const isNew = change.before === undefined && change.after !== undefined;
    if (!isNew) pages.forget();
    onChange();
  });
  // The JSON of a key shows its identity too. A new identity is in no cached JSON, unless a key referred to
  // its id before the identity was created.
  const identities = createIdentities(source, (change) => {
    const { after, before } = change;
    const isNew = before === undefined && after !== undefined;
    if (!isNew || keys.hasKeysOf(after)) pages.forget();
    onChangeOfOwners(change);
  });
  const ratelimitNamespaces = new RatelimitNamespaces(source, onChange);
  const migrations = createMigrations(onChange);
  const keys = new KeySet({
    ...source,
    apis,
    identities,
    permissions,
    roles,
    pages,
    warn,
    onChange: onChangeOfOwners,
  });
  return {
    tokens,
    apis,
    permissions,
    roles,
    identities,
    ratelimitNamespaces,
    migrations,
    keys,
  };
}

import { Apis } from "./keys/apis.tsx";
import { ApiUsage } from "./usage/api-usage.tsx";
import type { Client } from "../data/client.ts";
import { Identities } from "./identities/identities.tsx";
import { FindKey } from "./keys/find-key.tsx";
import { Keys } from "./keys/keys.tsx";
import { Limits } from "./limits/limits.tsx";
import { Roles } from "./access/roles.tsx";
import type { ViewState } from "../data/view-state.ts";
import type { WorkspaceState } from "../../control/route-schemas.ts";
import type { World } from "../data/use-world.ts";

interface RecordsProps {
  readonly client: Client;
  readonly world: World & { readonly workspace: WorkspaceState };
  readonly viewState: ViewState;
  readonly now: number;
}

/** The view of records that is chosen. */
export function Records({ client, now, viewState, world }: RecordsProps) {
  const { requests, revision, workspace } = world;
  const { apis } = workspace;
  const api = apis.find(({ id }) => id === viewState.apiId) ?? apis[0];
  const shared = { client, revision, viewState };
  switch (viewState.records) {
    case "keys":
    case "usage":
      return (
        <>
          <Apis client={client} workspace={workspace} viewState={viewState} chosen={api} />
          {viewState.keyId !== undefined && viewState.apiId === undefined ? (
            <FindKey client={client} keyId={viewState.keyId} />
          ) : (
            api !== undefined &&
            (viewState.records === "usage" ? (
              <ApiUsage key={api.id} api={api} viewState={viewState} />
            ) : (
              <Keys {...shared} api={api} workspace={workspace} now={now} />
            ))
          )}
        </>
      );
    case "identities":
      return <Identities {...shared} apis={apis} />;
    case "limits":
      return <Limits {...shared} requests={requests} now={now} />;
    case "roles":
      return <Roles {...shared} />;
  }
}

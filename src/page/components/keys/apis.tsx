import { useState } from "preact/hooks";
import { ApiDialog } from "./api-dialog.tsx";
import type { Client } from "../../data/client.ts";
import { hashOf, wholeList, type ViewState } from "../../data/view-state.ts";
import { useRights } from "../../data/page-context.ts";
import { Sidebar } from "../sidebar.tsx";
import type { ApiState, WorkspaceState } from "../../../control/route-schemas.ts";

interface ApisProps {
  readonly client: Client;
  readonly workspace: WorkspaceState;
  readonly viewState: ViewState;
  readonly chosen: ApiState | undefined;
}

/** The APIs, with the number of their keys, and buttons to create one and to delete the chosen one. */
export function Apis({ chosen, client, viewState, workspace: { apis } }: ApisProps) {
  const [asked, setAsked] = useState<"create" | "delete">();
  const may = useRights();
  return (
    <>
      <Sidebar
        title="APIs"
        find="Find an API"
        none="There are no APIs."
        items={apis.map(({ id, keys, keyspace, name }) => ({
          id,
          name,
          href: hashOf(viewState, { apiId: id, view: viewState.records }),
          count: keyspace ? keys.toLocaleString("en") : "–",
          counted: "keys",
          ...(!keyspace && { title: "It has no keyspace." }),
        }))}
        chosen={chosen?.id}
      >
        {may("apis.createApi") && (
          <button type="button" onClick={() => setAsked("create")}>
            Create an API
          </button>
        )}
        {chosen !== undefined && may("apis.deleteApi", chosen.id) && (
          <button type="button" class="quiet danger" onClick={() => setAsked("delete")}>
            Delete this API
          </button>
        )}
      </Sidebar>
      {asked !== undefined && (
        <ApiDialog
          client={client}
          deleted={asked === "delete" ? chosen : undefined}
          onShow={(apiId) => {
            location.hash = hashOf(viewState, { ...wholeList, apiId, view: "keys" });
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

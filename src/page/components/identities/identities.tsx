import { pluralize } from "../../../base/wording/text.ts";
import type { toIdentity } from "../../../service/operations/v2/key-record.ts";
import type { OnAsk } from "../asked.tsx";
import { LimitBadge } from "../badges.tsx";
import type { Client } from "../../data/client.ts";
import { Json } from "../json.tsx";
import { useRights } from "../../data/page-context.ts";
import { RecordPanel } from "../record-panel.tsx";
import { Row } from "../row.tsx";
import { hashOf, type ViewState, wholeList } from "../../data/view-state.ts";
import type { ApiState } from "../../../control/route-schemas.ts";

/** For this many APIs, an identity has a link to its keys. */
const MAX_APIS = 20;

type Identity = ReturnType<typeof toIdentity>;

interface IdentitiesProps {
  readonly client: Client;
  readonly revision: number;
  readonly viewState: ViewState;
  readonly apis: readonly ApiState[];
}

/** The identities of the workspace, with their rate limits and the way to their keys. */
export function Identities({ apis, client, revision, viewState }: IdentitiesProps) {
  return (
    <RecordPanel<Identity>
      client={client}
      revision={revision}
      name="identities"
      title="Identities"
      hint="part of an external id or id"
      operation="identities.listIdentities"
      noun={["identity", "identities"]}
      create={{
        operation: "identities.createIdentity",
        title: "Create an identity",
        submit: "Create",
      }}
    >
      {(identity, onAsk) => (
        <Row key={identity.id} summary={<Summary of={identity} />}>
          {() => (
            <>
              <Actions of={identity} onAsk={onAsk} />
              {identity.ratelimits !== undefined && (
                <p class="badges more">
                  {identity.ratelimits.map((ratelimit) => (
                    <LimitBadge key={ratelimit.id} of={ratelimit} />
                  ))}
                </p>
              )}
              <KeyLinks of={identity} apis={apis} viewState={viewState} />
              <Json value={identity} label={identity.id} />
            </>
          )}
        </Row>
      )}
    </RecordPanel>
  );
}

interface SummaryProps {
  readonly of: Identity;
}

function Summary({ of: { externalId, id, meta, ratelimits = [] } }: SummaryProps) {
  return (
    <>
      <span class="names">
        <bdi class="title">{externalId}</bdi>
        <code>{id}</code>
      </span>
      <code class="meta">{meta && JSON.stringify(meta)}</code>
      <span class="uses">
        {ratelimits.length > 0 && pluralize(ratelimits.length, "rate limit")}
      </span>
    </>
  );
}

interface ActionsProps extends SummaryProps {
  readonly onAsk: OnAsk;
}

function Actions({ of: identity, onAsk }: ActionsProps) {
  const { externalId, id } = identity;
  const fixed = { identity: id };
  const may = useRights();
  return (
    <div class="buttons actions">
      {may("identities.updateIdentity") && (
        <button
          type="button"
          onClick={() =>
            onAsk({
              operation: "identities.updateIdentity",
              title: `Change ${externalId}`,
              submit: "Save",
              fixed,
              present: identity,
              children: <p class="hint">{CHANGE}</p>,
            })
          }
        >
          Change
        </button>
      )}
      {may("identities.deleteIdentity") && (
        <button
          type="button"
          class="danger"
          onClick={() =>
            onAsk({
              operation: "identities.deleteIdentity",
              title: `Delete ${externalId}?`,
              submit: "Delete",
              fixed,
              children: (
                <p>
                  The identity <code>{id}</code> is deleted with its rate limits and its meta. Its
                  keys stay valid, and belong to no identity then.
                </p>
              ),
            })
          }
        >
          Delete
        </button>
      )}
    </div>
  );
}

const CHANGE =
  "Only what you change is sent. New rate limits and meta replace the old ones. To remove all of meta, enter {}.";

interface KeyLinksProps extends SummaryProps {
  readonly apis: readonly ApiState[];
  readonly viewState: ViewState;
}

/** Leads to the keys of an identity. A list of keys is always that of one API. */
function KeyLinks({ apis, of: { externalId }, viewState }: KeyLinksProps) {
  return (
    <p class="more links">
      {apis.slice(0, MAX_APIS).map(({ id: apiId, name = apiId }) => (
        <a key={apiId} href={hashOf(viewState, { ...wholeList, view: "keys", apiId, externalId })}>
          Its keys in <bdi>{name}</bdi>
        </a>
      ))}
      {apis.length > MAX_APIS && <span class="dim">and {apis.length - MAX_APIS} more APIs</span>}
    </p>
  );
}

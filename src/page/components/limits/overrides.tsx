import type { toOverride } from "../../../service/operations/v2/ratelimit.ts";
import type { Asked, OnAsk } from "../asked.tsx";
import type { Client } from "../../data/client.ts";
import { Json } from "../json.tsx";
import { useRights } from "../../data/page-context.ts";
import { RecordList } from "../record-list.tsx";
import { Row } from "../row.tsx";
import type { NamespaceState } from "../../data/use-namespaces.ts";
import { toRate } from "../../data/time.ts";

type Override = ReturnType<typeof toOverride>;

/** The form for a new override, or for a change of one. */
export function toSetOverride({ name }: NamespaceState, present?: Override): Asked {
  const shared = { operation: "ratelimit.setOverride", submit: "Save" } as const;
  if (present === undefined) {
    return { ...shared, title: `Set an override in ${name}`, fixed: { namespace: name } };
  }
  const { duration, identifier, limit } = present;
  return {
    ...shared,
    title: `Change the override of ${identifier}`,
    fixed: { namespace: name, identifier },
    draft: { limit: String(limit), duration: String(duration) },
  };
}

interface OverridesProps {
  readonly of: NamespaceState;
  readonly client: Client;
  readonly revision: number;
  readonly onAsk: OnAsk;
}

/** The overrides of a namespace. */
export function Overrides({ of: namespace, onAsk, ...list }: OverridesProps) {
  const may = useRights();
  return (
    <div class="part">
      <h3>Overrides</h3>
      <RecordList<Override>
        {...list}
        operation="ratelimit.listOverrides"
        input={{ namespace: namespace.id }}
        noun={["override", "overrides"]}
        none="There are no overrides: each call brings its limit."
      >
        {(override) => (
          <Row key={override.overrideId} summary={<Summary of={override} />}>
            {() => (
              <>
                <div class="buttons actions">
                  {may("ratelimit.setOverride", namespace.id) && (
                    <button type="button" onClick={() => onAsk(toSetOverride(namespace, override))}>
                      Change
                    </button>
                  )}
                  {may("ratelimit.deleteOverride", namespace.id) && (
                    <button
                      type="button"
                      class="danger"
                      onClick={() => onAsk(toDelete(namespace, override))}
                    >
                      Delete
                    </button>
                  )}
                </div>
                <Json value={override} label={override.overrideId} />
              </>
            )}
          </Row>
        )}
      </RecordList>
    </div>
  );
}

function toDelete({ name }: NamespaceState, { identifier, overrideId }: Override): Asked {
  return {
    operation: "ratelimit.deleteOverride",
    title: `Delete the override of ${identifier}?`,
    submit: "Delete",
    fixed: { namespace: name, identifier },
    children: (
      <p>
        The override <code>{overrideId}</code> is deleted from <bdi>{name}</bdi>. Another override
        that fits applies then, or else the limit of each call.
      </p>
    ),
  };
}

function Summary({ of: { duration, identifier, limit, overrideId } }: { readonly of: Override }) {
  return (
    <>
      <span class="names">
        <bdi class="title">{identifier}</bdi>
        <code>{overrideId}</code>
      </span>
      <span class="uses">{toRate(limit, duration)}</span>
    </>
  );
}

import type { KeyRecord } from "../../../contract/key-record.ts";
import { Badges } from "../badges.tsx";
import { Json } from "../json.tsx";
import { hashOf, type ViewState } from "../../data/view-state.ts";
import { Row } from "../row.tsx";
import { toRelative, toUtc } from "../../data/time.ts";

interface KeyRowProps {
  readonly of: KeyRecord;
  readonly now: number;
  readonly viewState: ViewState;
}

/** A summary of a key; the complete record when it is opened. */
export function KeyRow({ now, of: key, viewState }: KeyRowProps) {
  return (
    <Row class={key.enabled ? undefined : "off"} summary={<Summary of={key} now={now} />}>
      {() => (
        <>
          <Json value={key} label={key.id} />
          {key.identity !== undefined && viewState.externalId === "" && (
            <p class="more">
              <a href={hashOf(viewState, { externalId: key.identity.externalId })}>
                All keys of <bdi>{key.identity.externalId}</bdi> here
              </a>
            </p>
          )}
        </>
      )}
    </Row>
  );
}

function Summary({ now, of: key }: Pick<KeyRowProps, "now" | "of">) {
  const owner = key.identity?.externalId ?? key.ownerId;
  return (
    <>
      <span class="names">
        <bdi class="title">{key.name ?? "(no name)"}</bdi>
        <code>{key.start}…</code>
      </span>
      <bdi class="owner" title={owner}>
        {owner}
      </bdi>
      <Badges of={key} now={now} />
      {key.remaining !== undefined && (
        <span class="uses">{key.remaining.toLocaleString("en")} left</span>
      )}
      <time title={`${toUtc(key.createdAt)} UTC`}>{toRelative(key.createdAt, now)}</time>
    </>
  );
}

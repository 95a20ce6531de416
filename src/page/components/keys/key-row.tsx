import { Badges } from "../badges.tsx";
import { Json } from "../json.tsx";
import type { ListedKey } from "../../data/interfaces.ts";
import { hashOf, type ViewState } from "../../data/view-state.ts";
import { Row } from "../row.tsx";
import { toRelative, toUtc } from "../../data/time.ts";

interface KeyRowProps {
  readonly of: ListedKey;
  readonly now: number;
  readonly viewState: ViewState;
}

/** A summary of a key; the complete record when it is opened. */
export function KeyRow({ now, of: key, viewState }: KeyRowProps) {
  return (
    <Row class={key.enabled ? undefined : "off"} summary={<Summary of={key} now={now} />}>
      {() => (
        <>
          <Json value={key.record} label={key.id} />
          {key.externalId !== undefined && viewState.externalId === "" && (
            <p class="more">
              <a href={hashOf(viewState, { externalId: key.externalId })}>
                All keys of <bdi>{key.externalId}</bdi> here
              </a>
            </p>
          )}
        </>
      )}
    </Row>
  );
}

function Summary({ now, of: key }: Pick<KeyRowProps, "now" | "of">) {
  return (
    <>
      <span class="names">
        <bdi class="title">{key.name ?? "(no name)"}</bdi>
        <code>{key.start}…</code>
      </span>
      <bdi class="owner" title={key.owner}>
        {key.owner}
      </bdi>
      <Badges of={key} now={now} />
      {key.remaining !== undefined && (
        <span class="uses">{key.remaining.toLocaleString("en")} left</span>
      )}
      <time title={`${toUtc(key.createdAt)} UTC`}>{toRelative(key.createdAt, now)}</time>
    </>
  );
}

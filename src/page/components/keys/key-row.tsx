import { Badges } from "../badges.tsx";
import { Json } from "../json.tsx";
import { customerOf, KeyFacts } from "./key-facts.tsx";
import type { ListedKey } from "../../data/interfaces.ts";
import type { OnTask } from "./key-task.ts";
import { hashOf, type ViewState } from "../../data/view-state.ts";
import { Row } from "../row.tsx";
import { toRelative, toUtc } from "../../data/time.ts";
import { KeyUsage } from "../usage/key-usage.tsx";

interface KeyRowProps {
  readonly of: ListedKey;
  readonly now: number;
  readonly viewState: ViewState;
  readonly canRotate: boolean;
  readonly onTask: OnTask;
}

/** A summary of a key; the complete record, and what can be done with it, when it is opened. */
export function KeyRow(props: KeyRowProps) {
  const { now, of: key, viewState } = props;
  return (
    <Row class={key.enabled ? undefined : "off"} summary={<Summary of={key} now={now} />}>
      {() => (
        <>
          <Actions {...props} />
          <KeyFacts of={key} now={now} />
          <KeyUsage keyId={key.id} />
          <details class="fold">
            <summary>The whole record as JSON</summary>
            <Json value={key.record} label={key.id} />
          </details>
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

function Actions({ canRotate, of: key, onTask }: KeyRowProps) {
  const { plaintext } = key;
  return (
    <div class="buttons actions">
      {plaintext !== undefined && (
        <button type="button" onClick={() => onTask({ kind: "verify" }, { key: plaintext })}>
          Verify
        </button>
      )}
      <button type="button" onClick={() => onTask({ kind: "change", key })}>
        Change
      </button>
      {canRotate && (
        <button
          type="button"
          onClick={() => onTask({ kind: "rotate", key }, { expiration: "3600000" })}
        >
          Rotate
        </button>
      )}
      <button type="button" class="danger" onClick={() => onTask({ kind: "delete", key })}>
        Delete
      </button>
    </div>
  );
}

type SummaryProps = Pick<KeyRowProps, "now" | "of">;

function Summary({ now, of: key }: SummaryProps) {
  const { createdAt, lastUsedAt, owner, roles = [] } = key;
  const customer = customerOf(key);
  return (
    <>
      <span class="names">
        <bdi class="title">{key.name ?? "(no name)"}</bdi>
        <code>{key.start}…</code>
      </span>
      <span class="names owner">
        {customer !== undefined && <bdi title={customer}>{customer}</bdi>}
        <bdi class={customer === undefined ? "" : "dim"} title={owner}>
          {owner}
        </bdi>
      </span>
      <span class="marks">
        {roles.length > 0 && <bdi class="dim">{roles.join(", ")}</bdi>}
        <Badges of={key} now={now} />
      </span>
      {key.remaining !== undefined && (
        <span class="uses">{key.remaining.toLocaleString("en")} left</span>
      )}
      <span class="times">
        <time title={`${toUtc(createdAt)} UTC`}>created {toRelative(createdAt, now)}</time>
        {lastUsedAt !== undefined && (
          <time title={`${toUtc(lastUsedAt)} UTC`}>used {toRelative(lastUsedAt, now)}</time>
        )}
      </span>
    </>
  );
}

import type { Client } from "../../data/client.ts";
import { customerOf, type KeyReply, type ListedKey } from "../../data/listed-key.ts";
import { useRights } from "../../data/page-context.ts";
import { toRelative, toUtc } from "../../data/time.ts";
import { hashOf, wholeList, type ViewState } from "../../data/view-state.ts";
import { Badges } from "../badges.tsx";
import { Json } from "../json.tsx";
import { Row } from "../row.tsx";
import { KeyUsage } from "../usage/key-usage.tsx";
import { KeyFacts } from "./key-facts.tsx";
import { KeyLimits } from "./key-limits.tsx";
import { KeyValue } from "./key-value.tsx";
import type { OnTask } from "./key-task.ts";

interface KeyRowProps {
  readonly of: ListedKey;
  readonly isShown: boolean;
  readonly client: Client;
  /** The page that was read last. */
  readonly page: KeyReply;
  readonly now: number;
  readonly viewState: ViewState;
  readonly onTask: OnTask;
}

/** A summary of a key; a card with all about it, and what can be done with it, when it is opened. */
export function KeyRow(props: KeyRowProps) {
  const { client, isShown, now, of: key, page, viewState } = props;
  const { identity, ...record } = key;
  return (
    <Row
      class={key.enabled ? undefined : "off"}
      isShown={isShown}
      summary={<Summary of={key} now={now} />}
    >
      {() => (
        <>
          <Actions {...props} />
          <KeyFacts of={key} now={now}>
            <KeyLimits client={client} keyId={key.id} page={page} now={now} />
          </KeyFacts>
          {key.recoverable === true && (
            <KeyValue client={client} keyId={key.id} onTask={props.onTask} />
          )}
          <KeyUsage keyId={key.id} />
          <details class="fold">
            <summary>The whole record as JSON</summary>
            <Json value={record} label={key.id} />
          </details>
          {identity !== undefined && viewState.externalId === "" && (
            <p class="more">
              <a
                href={hashOf(viewState, {
                  ...wholeList,
                  apiId: key.apiId,
                  externalId: identity.externalId,
                })}
              >
                All keys of <bdi>{customerOf(key) ?? identity.externalId}</bdi> here
              </a>
            </p>
          )}
        </>
      )}
    </Row>
  );
}

function Actions({ of: key, onTask }: KeyRowProps) {
  const may = useRights();
  return (
    <div class="buttons actions">
      {may("keys.updateKey", key.apiId) && (
        <button type="button" onClick={() => onTask({ kind: "change", key })}>
          Change
        </button>
      )}
      {may("keys.rerollKey", key.apiId) && (
        <button
          type="button"
          onClick={() => onTask({ kind: "rotate", key }, { expiration: "3600000" })}
        >
          Rotate
        </button>
      )}
      {may("keys.deleteKey", key.apiId) && (
        <button type="button" class="danger" onClick={() => onTask({ kind: "delete", key })}>
          Delete
        </button>
      )}
    </div>
  );
}

type SummaryProps = Pick<KeyRowProps, "now" | "of">;

function Summary({ now, of: key }: SummaryProps) {
  const { createdAt, identity, lastUsedAt, ownerId: owner = identity?.externalId, roles } = key;
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

import type { RecordedRequest } from "../../../world/journal/recorded-request.ts";
import { Hint } from "../hint.tsx";
import { Json } from "../json.tsx";
import { outcomeOf } from "../../data/outcome.ts";
import { hashOfKey } from "../../data/view-state.ts";
import { Row } from "../row.tsx";
import { toUtc } from "../../data/time.ts";
import type { FaultState } from "../../../control/route-schemas.ts";

interface JournalEntryProps {
  readonly request: RecordedRequest;
  readonly faults: readonly FaultState[];
}

/** A call and its result; the request and the answer when it is opened. */
export function JournalEntry({ faults, request }: JournalEntryProps) {
  const { keyId, keyName } = outcomeOf(request);
  const { answer, faults: hitBy, hint, input, method, path, requestId, status } = request;
  return (
    <Row summary={<Summary request={request} />}>
      {() => (
        <>
          <p class="hint">
            {method} <code>{path}</code>, <code>{requestId}</code>
          </p>
          {hint !== undefined && <Hint text={hint} />}
          {keyId !== undefined && (
            <p class="hint">
              <a href={hashOfKey(keyId)}>Show the key {isOfKey(request) && keyName}</a>
            </p>
          )}
          <Json value={input} label="Input" />
          <Json value={status === undefined ? undefined : answer} label="Answer" />
          {hitBy.length > 0 && (
            <Json
              value={hitBy.map((name) => faults.find(({ id }) => id === name) ?? name)}
              label="Faults"
            />
          )}
        </>
      )}
    </Row>
  );
}

function Summary({ request }: Pick<JournalEntryProps, "request">) {
  const { duration, faults, status, time, type } = request;
  const { keyName, kind, word } = outcomeOf(request);
  return (
    <>
      <span class="times">
        <time title={`${toUtc(time)} UTC`}>{toUtc(time).slice(-8)}</time>
        <span class="uses">{duration < 10 ? duration.toFixed(1) : Math.round(duration)} ms</span>
      </span>
      <span class="names">
        <bdi class="title">{nameOf(request)}</bdi>
        {word !== undefined && <code title={type}>{word}</code>}
        {isOfKey(request) && keyName !== undefined && <bdi class="dim">{keyName}</bdi>}
      </span>
      <span class="badges">
        {faults.length > 0 && <span class="badge warn">fault</span>}
        <span class={`badge ${kind}`}>{status ?? "no reply"}</span>
      </span>
    </>
  );
}

/** The operation and its version, like `v2 keys.createKey`; for other calls, the method and path. */
export function nameOf({ method, operation, path, version }: RecordedRequest): string {
  return operation === undefined ? `${method} ${path}` : `${version} ${operation}`;
}

/** Whether the name in the input or the answer is that of a key, as for all but lists and imports. */
function isOfKey({ operation = "" }: RecordedRequest): boolean {
  return /^keys\.\w+Key$/.test(operation);
}

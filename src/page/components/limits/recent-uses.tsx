import type { RecordedRequest } from "../../../world/journal/recorded-request.ts";
import { Json } from "../json.tsx";
import { recentUses, type RecentUse } from "../../data/recent-uses.ts";
import { Row } from "../row.tsx";
import { toRelative, toUtc } from "../../data/time.ts";
import type { NamespaceState } from "../../data/use-namespaces.ts";

const MAX_SHOWN = 50;

interface RecentUsesProps {
  readonly of: NamespaceState;
  readonly requests: readonly RecordedRequest[];
  readonly now: number;
}

/** What was counted and refused in a namespace lately, as far as the journal has it. */
export function RecentUses({ now, of, requests }: RecentUsesProps) {
  const uses = recentUses(requests, of);
  return (
    <div class="part">
      <h3>Latest uses</h3>
      {uses.length === 0 && <p class="dim empty">The journal has no use of this namespace.</p>}
      <div class="list">
        <ol class="rows" aria-label="Latest uses">
          {uses.slice(0, MAX_SHOWN).map((use) => (
            <Row key={use.id} class="use" summary={<Summary of={use} now={now} />}>
              {() => (
                <>
                  <Json value={use.request.input} label="Input" />
                  <Json value={use.request.answer} label="Answer" />
                </>
              )}
            </Row>
          ))}
        </ol>
      </div>
      {uses.length > MAX_SHOWN && (
        <p class="hint">The journal has {(uses.length - MAX_SHOWN).toLocaleString("en")} more.</p>
      )}
    </div>
  );
}

interface SummaryProps {
  readonly of: RecentUse;
  readonly now: number;
}

function Summary({ now, of: { identifier, limit, outcome, remaining, request } }: SummaryProps) {
  const { code, status, time, type, version } = request;
  return (
    <>
      <span class="names">
        <bdi class="title">{identifier}</bdi>
        <code>{code ?? type ?? `${version} ${request.operation}`}</code>
      </span>
      <span class={`badge ${outcome === undefined ? "warn" : kinds[outcome]}`}>
        {outcome ?? status ?? "no reply"}
      </span>
      <span class="uses">
        {remaining !== undefined &&
          limit !== undefined &&
          `${remaining.toLocaleString("en")} of ${limit.toLocaleString("en")} left`}
      </span>
      <time title={`${toUtc(time)} UTC`}>{toRelative(time, now)}</time>
    </>
  );
}

const kinds = { allowed: "good", refused: "bad", "not counted": "warn" } as const;

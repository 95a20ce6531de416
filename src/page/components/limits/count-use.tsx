import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Client } from "../../data/client.ts";
import { OperationDialog } from "../operation-dialog.tsx";
import type { Draft } from "../../data/schema.ts";
import { toRelative, toUtc } from "../../data/time.ts";

interface CountUseProps {
  readonly client: Client;
  readonly now: number;
  /** What the fields contain at first. */
  readonly draft: Draft;
  readonly onClose: () => void;
  /** Shown above the fields. */
  readonly children?: ComponentChildren;
}

interface LimitAnswer {
  readonly success: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
  readonly overrideId?: string;
}

/** Calls `ratelimit.limit` each time the form is sent, and shows what it answers. */
export function CountUse({ now, ...props }: CountUseProps) {
  const [draft, setDraft] = useState(props.draft);
  const [answer, setAnswer] = useState<LimitAnswer>();
  return (
    <OperationDialog
      {...props}
      operation="ratelimit.limit"
      title="Count a use"
      submit="Count"
      draft={draft}
      onDraft={setDraft}
      onDone={setAnswer}
      outcome={
        // Present from the beginning, because a screen reader announces what changes in it.
        <div class="outcome" role="status">
          {answer && <Outcome of={answer} now={now} />}
        </div>
      }
    />
  );
}

interface OutcomeProps {
  readonly of: LimitAnswer;
  readonly now: number;
}

function Outcome({ now, of: { limit, overrideId, remaining, reset, success } }: OutcomeProps) {
  return (
    <p>
      <span class={`badge ${success ? "good" : "bad"}`}>{success ? "allowed" : "refused"}</span>{" "}
      {remaining.toLocaleString("en")} of {limit.toLocaleString("en")} left, window ends{" "}
      <time title={`${toUtc(reset)} UTC`}>{toRelative(reset, now)}</time>
      {overrideId !== undefined && (
        <>
          , by the override <code>{overrideId}</code>
        </>
      )}
    </p>
  );
}

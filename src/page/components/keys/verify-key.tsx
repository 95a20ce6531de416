import { useState } from "preact/hooks";
import type { Verified } from "../../data/interfaces.ts";
import { Json } from "../json.tsx";
import type { KeyDialogProps } from "./key-task.ts";
import { OperationDialog } from "../operation-dialog.tsx";
import { toRelative, toUtc } from "../../data/time.ts";

/** Verifies a key each time the form is sent, and shows how many uses and calls it has left. */
export function VerifyKey(props: KeyDialogProps) {
  const { apis, now } = props;
  const [answer, setAnswer] = useState<Verified>();
  return (
    <OperationDialog
      {...props}
      operation="keys.verifyKey"
      title="Verify a key"
      submit="Verify"
      choices={{ apiId: apis.map(({ id }) => id) }}
      onDone={setAnswer}
      outcome={
        <div class="outcome">
          {/* Present from the beginning, because a screen reader announces what changes in it. */}
          <div role="status">{answer && <Outcome of={answer} now={now} />}</div>
          {answer && (
            <details>
              <summary>JSON</summary>
              <Json value={answer} label="Answer" />
            </details>
          )}
        </div>
      }
    />
  );
}

function Outcome({ now, of: { code, credits, ratelimits = [] } }: { of: Verified; now: number }) {
  return (
    <>
      <p>
        <span class={`badge ${code === "VALID" ? "good" : "bad"}`}>{code}</span>{" "}
        {credits !== undefined && `${credits.toLocaleString("en")} left`}
      </p>
      {ratelimits.map(({ limit, name, remaining, reset }) => (
        <p key={name}>
          rate limit <bdi>{name}</bdi>: {remaining.toLocaleString("en")}
          {limit !== undefined && ` of ${limit.toLocaleString("en")}`} left, window ends{" "}
          <time title={`${toUtc(reset)} UTC`}>{toRelative(reset, now)}</time>
        </p>
      ))}
    </>
  );
}

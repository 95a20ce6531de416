import { nameOf } from "./fault-refusal.ts";
import type { PlainRequest } from "./exchange.ts";
import type { RequestEntry } from "./log.ts";
import { maskSecrets } from "./mask-secrets.ts";
import { secretsOf } from "./place.ts";
import { requestIdOf, type Ending, type Progress } from "./progress.ts";
import { toRecordedAnswer } from "./recorded-answer.ts";
import { toRecordedInput } from "./recorded-input.ts";

/** What the log needs to know of a request; of bytes that are none, there is no more. */
type LoggedProgress = Pick<Progress, "faults" | "operation" | "place" | "requestId" | "world"> & {
  readonly request: Pick<PlainRequest, "header">;
};

/** Handed out, and the same for all: nobody may add to it. */
const NO_FAULTS: readonly string[] = Object.freeze([]);

/** What the log is told of a request. */
export function toLogEntry(
  progress: LoggedProgress,
  { code, duration, refusal, status }: Ending,
): RequestEntry {
  const { faults, operation, place, request, requestId = "", world } = progress;
  const secrets = refusal && secretsOf(world, request.header("authorization"));
  const { method, path } = place;
  return {
    kind: "request",
    method,
    path,
    operation: operation?.contract.name,
    status,
    requestId,
    duration,
    code,
    message: refusal && maskSecrets(refusal.message, secrets),
    hint: refusal?.hint && maskSecrets(refusal.hint, secrets),
    faults: faults.length === 0 ? NO_FAULTS : faults.map(nameOf),
  };
}

/** Tells the journal how a request stands: when a fault begins to delay it, and at its end. */
export function record(
  progress: Progress,
  { code, duration, refusal, reply, status }: Ending,
): void {
  const { beginning, entry, faults, operation, place, request, time, world } = progress;
  // A preflight asks for nothing, and what began before a reset is none of what is tested now.
  if (request.method === "OPTIONS" || world.beginning !== beginning) return;
  const struck = faults.length === 0 ? NO_FAULTS : faults.map(({ id }) => id);
  const authorization = request.header("authorization");
  const output = refusal === undefined ? progress.output : undefined;
  const answer = reply && toRecordedAnswer(output, reply, world, authorization);
  if (entry !== undefined) {
    world.journal.finish(entry, {
      answer,
      status,
      code,
      duration,
      faults: struck,
    });
    return;
  }
  const { method, path } = place;
  progress.entry = {
    method,
    path,
    operation: operation?.contract.name,
    time,
    input: toRecordedInput(request, world, authorization),
    answer,
    requestId: requestIdOf(progress),
    status,
    code,
    duration,
    faults: struck,
  };
  world.journal.record(progress.entry);
}

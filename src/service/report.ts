import { maskSecrets } from "../journal/mask.ts";
import { nameOf } from "./fault-refusal.ts";
import type { RequestEntry } from "./log.ts";
import { secretsOf } from "./place.ts";
import type { Ending, RequestContext } from "./request-context.ts";

/** What the log needs to know of a request; of bytes that are none, there is no more. */
type LoggedContext = Pick<
  RequestContext,
  "credentials" | "faults" | "operation" | "place" | "requestId" | "world"
>;

/** What the log is told of a request; the id is empty for one that draws none. */
export function toLogEntry(
  { credentials, faults, operation, place, requestId = "", world }: LoggedContext,
  { code, duration, refusal, status }: Omit<Ending, "reply">,
): RequestEntry {
  const secrets = refusal && secretsOf(world, credentials);
  return {
    kind: "request",
    method: place.method,
    path: place.path,
    operation: operation?.contract.name,
    status,
    requestId,
    duration,
    code,
    message: refusal && maskSecrets(refusal.message, secrets),
    hint: refusal?.hint && maskSecrets(refusal.hint, secrets),
    faults: faults.map(nameOf),
  };
}

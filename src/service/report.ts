import { maskSecrets } from "../journal/mask.ts";
import { nameOf } from "./fault-refusal.ts";
import type { RequestEntry } from "./log.ts";
import { secretsOf } from "./request-target.ts";
import type { Outcome, RequestContext } from "./request-context.ts";

/** What the log needs to know of a request; of bytes that are none, there is no more. */
type LoggedContext = Pick<
  RequestContext,
  "credentials" | "faults" | "operation" | "target" | "requestId" | "world"
>;

/** What the log is told of a request; the id is empty for one that draws none. */
export function toLogEntry(
  { credentials, faults, operation, target, requestId = "", world }: LoggedContext,
  { code, duration, refusal, status }: Omit<Outcome, "reply">,
): RequestEntry {
  const secrets = refusal && secretsOf(world, credentials);
  return {
    kind: "request",
    method: target.method,
    path: target.path,
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

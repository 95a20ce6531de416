import { maskSecrets } from "../journal/mask.ts";
import { nameOf } from "./fault-refusal.ts";
import type { RequestEntry } from "./log.ts";
import { secretsOf } from "./request-target.ts";
import type { Outcome, RequestContext } from "./request-context.ts";

/** The part of the context that the log needs. Bytes that are not HTTP have no full context. */
type LoggedContext = Pick<
  RequestContext,
  "credentials" | "faults" | "operation" | "target" | "requestId" | "world"
>;

/** Makes the log entry of a request. Secrets are masked. */
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

import { ApiError, errorStatus } from "../api/errors.ts";
import { statusOfType } from "../api/v2/problem.ts";
import { faultLabel, type Fault, type FaultPhase } from "../faults/fault.ts";
import { Lifetime } from "../base/lifetime.ts";
import { addToJournal, UNKNOWN_END } from "./record.ts";
import { applyEffect, withHeaders, withHint, type PlainReply } from "./reply.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Applies the faults of this phase to the call.
 *
 * A fault with an effect only sets `decidingFault` here. When the reply is complete, `withFaults` breaks
 * the JSON for `malformed`, and marks the reply with any other effect. `hang` then waits here. `drop` and
 * `truncate` take effect when the reply is sent: in `src/doors/http/answer.ts` for sockets, in
 * `src/emulator/web.ts` for `fetch`, and in `src/doors/msw.ts` for msw.
 * @throws ApiError the refusal of the deciding fault
 */
export async function applyFaults(phase: FaultPhase, context: RequestContext): Promise<void> {
  const { faults, input, isUnseen, operation, version, world } = context;
  if (operation === undefined || input === undefined || isUnseen) return;
  const call = { operation: operation.contract.name, version: version.name, input: input.value };
  const applied = world.faults.apply(phase, call);
  if (applied === undefined) return;
  const { decidingFault, latency } = applied;
  faults.push(...applied.faults);
  if (latency > 0) await delay(latency, context);
  if (decidingFault === undefined) return;
  context.decidingFault = decidingFault;
  // The operation itself gives the answer that says no.
  if (decidingFault.answer !== undefined) return;
  // Once the operation took effect, an effect without a code keeps its reply.
  if (phase === "before" || decidingFault.code !== undefined) {
    throw faultRefusal(decidingFault, context);
  }
}

/**
 * Waits for the latency, or until the client leaves. Then the call continues at once, because the service
 * finishes calls of clients that left. The request is in the journal before the wait, so that `waitFor`
 * sees it.
 * @throws ApiError if the state was replaced or the server was closed during the wait
 */
async function delay(latency: number, context: RequestContext): Promise<void> {
  const { lifetime, request, resets, startedAt, world } = context;
  if (world.resets === resets) {
    addToJournal(context, { ...UNKNOWN_END, duration: performance.now() - startedAt });
  }
  const { clientLifetime, doorLifetime } = request;
  await Lifetime.delay(latency, defined([lifetime, doorLifetime, clientLifetime?.()]));
  checkLife(context);
}

function defined(lifetimes: readonly (Lifetime | undefined)[]): readonly Lifetime[] {
  return lifetimes.filter((each) => each !== undefined);
}

/**
 * Waits as long as a reply hangs: until the client leaves, or the server begins to close. A call in
 * process keeps its process alive, as a connection to the service would. A server's connections do so by
 * themselves, unless the server was unref'd.
 * @throws ApiError if the state was replaced during the wait
 */
export async function hang({ lifetime, request }: RequestContext): Promise<void> {
  const { clientLifetime, doorLifetime } = request;
  const isInProcess = doorLifetime === undefined;
  await Lifetime.untilEnd(defined([lifetime, clientLifetime?.({ orClosing: true })]), isInProcess);
  if (lifetime.isOver) throw replaced();
}

/**
 * After a reset, a request of the previous test must not change the state of the next.
 * @throws ApiError if the state was replaced or the server was closed while the request waited
 */
export function checkLife({ lifetime, request }: RequestContext): void {
  if (!lifetime.isOver && !request.doorLifetime?.isOver) return;
  throw replaced();
}

function replaced(): ApiError {
  const message = "the emulator was reset, restored or closed while this was delayed";
  return new ApiError("INTERNAL_SERVER_ERROR", message);
}

/** The refusal that a fault causes. Default: 500 with the code INTERNAL_SERVER_ERROR. */
function faultRefusal(fault: Fault, { quirks, version }: RequestContext): ApiError {
  const { code = "INTERNAL_SERVER_ERROR", type } = fault;
  const isForbidden =
    version.name === "v1" && code === "UNAUTHORIZED" && quirks.has("unauthorized-403");
  const usual = statusOfType(type) ?? errorStatus[code];
  const { status = isForbidden ? 403 : usual } = fault;
  return new ApiError(code, "an injected fault", { status, type });
}

/** The reply with the effect of the deciding fault, and a hint that names all faults. */
export function withFaults(
  reply: PlainReply,
  { decidingFault, faults }: Pick<RequestContext, "decidingFault" | "faults">,
): PlainReply {
  const affected = applyEffect(reply, decidingFault?.effect);
  // Even a reply that looks normal gets the hint.
  const hinted = withHint(affected, `hit by ${faults.map(faultLabel).join(", ")}`);
  return faults.reduce((former, { headers }) => withHeaders(former, headers ?? {}), hinted);
}

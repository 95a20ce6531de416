import { ApiError, errorStatus } from "../contract/errors.ts";
import type { Fault } from "../control/fault.ts";
import { CHALLENGE } from "./authenticate.ts";

/** What a fault lets a call be refused with. */
export function faultRefusal(fault: Fault): ApiError {
  const { code = "INTERNAL_SERVER_ERROR", message = "an injected fault" } = fault;
  const { status = errorStatus[code] } = fault;
  return new ApiError(code, message, {
    status,
    ...(code === "UNAUTHORIZED" && status === 401 ? { headers: CHALLENGE } : {}),
    hint: `struck by ${nameOf(fault)}`,
  });
}

/** `fault_1 (drop after)`: for a person who wonders why. */
export function nameOf({ code, effect, id, latency, status, when }: Fault): string {
  const slow = latency === undefined ? [] : [`${[latency].flat().join("-")} ms`];
  return `${id} (${[status ?? code, effect, ...slow, when].filter(Boolean).join(" ")})`;
}

import { ApiError, errorStatus } from "../contract/errors.ts";
import type { Quirks } from "../contract/quirks.ts";
import type { Fault } from "../faults/fault.ts";
import { CHALLENGE } from "./authenticate.ts";

/** What a fault lets a call be refused with. */
export function faultRefusal(fault: Fault, quirks: Quirks): ApiError {
  const { code = "INTERNAL_SERVER_ERROR", message = "an injected fault" } = fault;
  const isForbidden = code === "UNAUTHORIZED" && quirks.has("unauthorized-403");
  const { status = isForbidden ? 403 : errorStatus[code] } = fault;
  return new ApiError(code, message, {
    status,
    ...(code === "UNAUTHORIZED" && status === 401 ? { headers: CHALLENGE } : {}),
  });
}

/** `fault_1 (drop after)`: for a person who wonders why. */
export function nameOf({ code, effect, id, latency, status, when }: Fault): string {
  const slow = latency === undefined ? [] : [`${[latency].flat().join("-")} ms`];
  return `${id} (${[status ?? code, effect, ...slow, when].filter(Boolean).join(" ")})`;
}

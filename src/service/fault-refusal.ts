import { ApiError, errorStatus } from "../contract/errors.ts";
import type { Quirks } from "../contract/quirks.ts";
import type { Fault } from "../faults/fault.ts";
import { CHALLENGE } from "./authenticate.ts";

/** The error reply that a fault causes. Default: 500 with the code INTERNAL_SERVER_ERROR. */
export function faultRefusal(fault: Fault, quirks: Quirks): ApiError {
  const { code = "INTERNAL_SERVER_ERROR", message = "an injected fault" } = fault;
  const isForbidden = code === "UNAUTHORIZED" && quirks.has("unauthorized-403");
  const { status = isForbidden ? 403 : errorStatus[code] } = fault;
  return new ApiError(code, message, {
    status,
    ...(code === "UNAUTHORIZED" && status === 401 ? { headers: CHALLENGE } : {}),
  });
}

/** A short description of a fault for hints and log lines, like `fault_1 (drop after)`. */
export function nameOf({ code, effect, id, latency, status, when }: Fault): string {
  const delay = latency === undefined ? [] : [`${[latency].flat().join("-")} ms`];
  return `${id} (${[status ?? code, effect, ...delay, when].filter(Boolean).join(" ")})`;
}

import { ApiError, errorStatus } from "../contract/errors.ts";
import { statusOfType } from "../contract/v2/problem.ts";
import type { VersionName } from "../contract/version.ts";
import type { Quirks } from "../contract/quirks.ts";
import type { Fault } from "../faults/fault.ts";

/** The error reply that a fault causes. Default: 500 with the code INTERNAL_SERVER_ERROR. */
export function faultRefusal(fault: Fault, quirks: Quirks, version: VersionName): ApiError {
  const { code = "INTERNAL_SERVER_ERROR", message = "an injected fault", type } = fault;
  const isForbidden = version === "v1" && code === "UNAUTHORIZED" && quirks.has("unauthorized-403");
  const usual = statusOfType(type) ?? errorStatus[code];
  const { status = isForbidden ? 403 : usual } = fault;
  return new ApiError(code, message, { status, type });
}

/** A short description of a fault for hints and log lines, like `fault_1 (drop after)`. */
export function nameOf({ code, effect, id, latency, status, type, when }: Fault): string {
  const delay = latency === undefined ? [] : [`${[latency].flat().join("-")} ms`];
  const refusal = status ?? type ?? code;
  return `${id} (${[refusal, effect, ...delay, when].filter(Boolean).join(" ")})`;
}

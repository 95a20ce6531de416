import { pluralize } from "../../base/wording/text.ts";
import { isRecord } from "../../base/json.ts";
import { toSpan } from "./time.ts";
import type { FaultState } from "../../control/route-schemas.ts";

/** A fault in a line: the calls that it applies to, and its effect on them. */
export function summaryOf(fault: FaultState): string {
  const { operation = "every operation", version } = fault;
  const calls = version === undefined ? operation : `${operation} (${version})`;
  const parts = [...effectsOf(fault), ...conditionsOf(fault)];
  return `${calls}: ${parts.filter((part) => part !== undefined).join(", ")}`;
}

/** With a status, the code is left out, because it usually follows from the status. */
function effectsOf(fault: FaultState): readonly (string | undefined)[] {
  const { code, effect, headers, latency, status, type, when } = fault;
  return [
    status === undefined ? word("code", code) : word("status", status),
    word("type", type),
    isRecord(headers)
      ? Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}`)
          .join(", ")
      : undefined,
    timeOf(latency),
    word("effect", effect),
    when === "after" ? "after it took effect" : undefined,
  ];
}

function conditionsOf(fault: FaultState): readonly (string | undefined)[] {
  const { match, probability, skip, times } = fault;
  return [
    match === undefined
      ? undefined
      : `if the input matches ${typeof match === "string" ? match : JSON.stringify(match)}`,
    typeof probability === "number" && probability < 1
      ? `in ${Math.round(probability * 1_000) / 10} % of the calls`
      : undefined,
    typeof skip === "number" && skip > 0 ? `after ${pluralize(skip, "call")}` : undefined,
    times === undefined ? undefined : `${times} ×`,
  ];
}

function word(name: string, value: unknown): string | undefined {
  return value === undefined ? undefined : `${name} ${String(value)}`;
}

/** A latency is a number of milliseconds, or the least and the most of it. */
function timeOf(latency: unknown): string | undefined {
  if (typeof latency === "number") return latency > 0 ? `takes ${toSpan(latency)}` : undefined;
  if (!Array.isArray(latency)) return undefined;
  const [least, most] = latency as number[];
  return `takes ${toSpan(least ?? 0)} to ${toSpan(most ?? 0)}`;
}

import type { FaultState } from "../../control/route-schemas.ts";
import { toSpan } from "../../base/wording/amounts.ts";

/** Whether a fault hits no further call. Without `times`, it stays in force. */
export function isUsedUp({ hits, times }: FaultState): boolean {
  return times !== undefined && hits >= times;
}

/** A fault in a line, like `keys.createKey: status 503, once`. */
export function summaryOf({
  hits: _hits,
  id: _id,
  isPending: _isPending,
  ...fault
}: FaultState): string {
  const { latency, operation = "every call", times, version, ...others } = fault;
  const spans = [latency ?? []].flat().map((span) => toSpan(Number(span)));
  // These follow from other members, or have their usual value.
  const isShown = (name: string, value: unknown) =>
    !(name === "when" && value === "before") && !(name === "code" && fault.status !== undefined);
  const shown = Object.entries(others).filter(([name, value]) => isShown(name, value));
  const parts = shown.map(
    ([name, value]) =>
      `${name} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`,
  );
  if (spans.length > 0) parts.push(`takes ${spans.join(" to ")}`);
  if (times !== undefined) parts.push(times === 1 ? "once" : `${times} times`);
  return `${version === undefined ? operation : `${version} ${operation}`}: ${parts.join(", ")}`;
}

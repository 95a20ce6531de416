import { isRecord } from "../../base/json.ts";
import type { RecordedRequest } from "../../world/journal/recorded-request.ts";
import type { NamespaceState } from "./use-namespaces.ts";

/** A call that counts uses in a namespace, or one item of a call with several. */
export interface RecentUse {
  readonly id: string;
  readonly request: RecordedRequest;
  readonly identifier: string;
  /** Undefined if the call was refused as a whole, or has no reply. */
  readonly outcome: "allowed" | "refused" | "not counted" | undefined;
  /** Uses left, and those in one window. */
  readonly remaining?: number | undefined;
  readonly limit?: number | undefined;
}

/** The operations of v2 and of v1 that count uses. */
const operations = new Set(["ratelimit.limit", "ratelimit.multiLimit", "ratelimits.limit"]);

/** What the journal tells about uses in a namespace, the newest first. */
export function recentUses(
  requests: readonly RecordedRequest[],
  { id, name }: NamespaceState,
): readonly RecentUse[] {
  const calls = requests.filter(({ operation = "" }) => operations.has(operation));
  return calls.toReversed().flatMap((request) => {
    const { answer, input, requestId } = request;
    const data = isRecord(answer) && isRecord(answer["data"]) ? answer["data"] : answer;
    return itemsOf(input).flatMap((item, index) => {
      // v1 has this default.
      const { identifier, namespace = "default" } = item;
      if (namespace !== id && namespace !== name) return [];
      const use = { id: `${requestId} ${index}`, request, identifier: String(identifier) };
      return [{ ...use, ...resultOf(data, index) }];
    });
  });
}

function itemsOf(input: unknown): readonly Record<string, unknown>[] {
  return [input].flat().filter(isRecord);
}

/** The result of an item; the answer to a call without items is its result. */
function resultOf(data: unknown, index: number): Pick<RecentUse, "outcome"> {
  if (!isRecord(data)) return { outcome: undefined };
  const { limits, passed, success } = data;
  const result: unknown = Array.isArray(limits) ? limits[index] : data;
  if (!isRecord(result)) return { outcome: undefined };
  const { limit, remaining } = result;
  const isWithin = result["passed"] ?? success;
  // One item that is over its limit prevents that the others are counted.
  const isCounted = passed ?? success;
  const outcome = isCounted ? "allowed" : isWithin ? "not counted" : "refused";
  const numbers = { limit, remaining } as Pick<RecentUse, "limit" | "remaining">;
  return isWithin === undefined ? { outcome: undefined } : { outcome, ...numbers };
}

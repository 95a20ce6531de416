import { isRecord } from "../../base/json.ts";
import type { RecordedRequest } from "../../world/journal/recorded-request.ts";

/** A limit as it was after the newest call that used it. */
export interface RecentLimit {
  readonly id: string;
  /** Who is limited: the identifier, or the name of the key. */
  readonly who: string;
  /** The namespace, or the name of the rate limit of the key. */
  readonly of: string;
  readonly keyId: string | undefined;
  readonly requestId: string;
  readonly limit: number;
  readonly remaining: number;
  /** The length of the window (ms); undefined if neither the call nor its answer has it. */
  readonly duration: number | undefined;
  /** When the window ends (unix milliseconds). */
  readonly reset: number;
  /** Whether the newest call was refused. */
  readonly isRefused: boolean;
}

/**
 * The limits of the calls in the journal. The limit with the smallest share left comes first. A limit whose
 * window is over has all its uses again, and comes last.
 */
export function recentLimits(
  requests: readonly RecordedRequest[],
  now: number,
): readonly RecentLimit[] {
  const byId = new Map<string, RecentLimit>();
  for (const request of requests) {
    for (const limit of limitsIn(request)) byId.set(limit.id, limit);
  }
  const share = ({ limit, remaining, reset }: RecentLimit) =>
    (reset <= now ? 1 : 0) + (remaining / limit || 0);
  return [...byId.values()].sort((one, other) => share(one) - share(other));
}

function limitsIn({ answer, input, operation, requestId }: RecordedRequest): RecentLimit[] {
  const body = isRecord(answer) ? answer : {};
  const data = isRecord(body["data"]) ? body["data"] : body;
  const inputs = [input].flat().filter(isRecord);
  const isVerified = operation === "keys.verifyKey";
  const results = isVerified
    ? [data["ratelimits"] ?? data["ratelimit"]].flat()
    : [data["limits"] ?? data].flat();
  return results.filter(isRecord).flatMap((result, index) => {
    const { limit, remaining, reset } = result;
    const numbers = [limit, remaining, reset].every((value) => typeof value === "number");
    if (!numbers) return [];
    // v1 has this default.
    const { duration, identifier, namespace = "default" } = inputs[index] ?? {};
    const keyId = isVerified ? String(data["keyId"]) : undefined;
    const of = String(isVerified ? (result["name"] ?? "default") : namespace);
    const who = String(isVerified ? (data["name"] ?? keyId) : identifier);
    const window = isVerified ? result["duration"] : duration;
    return {
      ...(result as Pick<RecentLimit, "limit" | "remaining" | "reset">),
      id: JSON.stringify([keyId ?? who, of]),
      who,
      of,
      keyId,
      requestId,
      duration: typeof window === "number" ? window : undefined,
      isRefused: result["exceeded"] === true || (result["passed"] ?? result["success"]) === false,
    };
  });
}

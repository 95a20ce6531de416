import { RatelimitNamespace, type RatelimitOverride } from "../store/limits/namespaces.ts";
import type { LimitRequest } from "../usage/rate-limit.ts";

/** What a call asks of a limit. */
interface Asked {
  readonly identifier: string;
  readonly limit: number;
  readonly duration: number;
  readonly cost?: number | undefined;
}

/** A limit to check, with the limit and window of the override that applies. */
export interface NamespaceRequest extends LimitRequest {
  /** Undefined if no override applies. */
  readonly override: RatelimitOverride | undefined;
}

export function toLimitRequest(
  namespace: RatelimitNamespace,
  { cost = 1, duration, identifier, limit }: Asked,
): NamespaceRequest {
  const override = RatelimitNamespace.overrideFor(namespace, identifier);
  return {
    override,
    ownerId: namespace.id,
    name: identifier,
    limit: override?.limit ?? limit,
    duration: override?.duration ?? duration,
    cost,
  };
}

import { lazily } from "../../base/lazily.ts";
import * as f from "../../schema/fields.ts";
import { RatelimitNamespace, type RatelimitOverride } from "../../state/records/namespaces.ts";
import { timestamp } from "../../state/vocabulary.ts";
import type { RefusedAnswer } from "../../api/outcomes.ts";
import type { checkLimits, LimitRequest, LimitResult } from "../../state/limits/counters.ts";
import type { Workspace } from "../../state/workspace.ts";
import type { AdmittedCall } from "./operation.ts";
import { limitWords } from "./refused-words.ts";

export const aboutLimiting = {
  summary: "Count a use, or refuse it",
  description:
    "Counts a use of an identifier in a namespace, which is made on first use. A use over the limit is answered 200 with `success: false`, and is not counted.",
} as const;

/** Members of an input (`cost`) and of a result. */
export const limitMembers = lazily(() => ({
  cost: f.optional(f.integer({ min: 0 }), "How many uses the call counts as. Default: 1."),
  limit: f.described(
    f.integer({ min: 0 }),
    "Uses in one window. An override, if one applies, decides.",
  ),
  reset: timestamp("When the window ends."),
  success: f.described(f.flag(), "Whether the use was within the limit."),
}));

/** Counts uses by limits. If a fault forces the answer, every limit refuses and nothing is counted. */
export function takeUses(
  { clock, counters }: Pick<Workspace, "clock" | "counters">,
  requests: readonly LimitRequest[],
  answer: RefusedAnswer | undefined,
  rule?: typeof checkLimits,
): readonly LimitResult[] {
  if (answer === undefined) return counters.take(requests, clock.now(), rule);
  const unused = requests.map((request) => ({ ...request, cost: 0 }));
  const results = counters.take(unused, clock.now(), rule);
  return results.map((result) => ({ ...result, exceeded: true, remaining: 0 }));
}

/** Hints which uses are refused, how many there were, and when one is free. */
export function adviseOfLimits(
  { advise, answer, workspace }: AdmittedCall<unknown>,
  requests: readonly LimitRequest[],
  results: readonly LimitResult[],
): void {
  const refused = requests.flatMap((request, index) => {
    const result = results[index] as LimitResult;
    return result.exceeded ? [{ request, result, index }] : [];
  });
  // The hint of the fault says that it has answered.
  if (refused.length === 0 || answer !== undefined) return;
  const now = workspace.clock.now();
  const lines = refused.slice(0, MAX_LINES).map(({ request, result, index }) => {
    const item = requests.length === 1 ? "" : `[${index}]: `;
    return item + limitWords(request, result, now);
  });
  const more = refused.length - lines.length;
  const words = more > 0 ? [...lines, `${more} more are refused`] : lines;
  advise(words.join("; "), { isEcho: true });
}

/** A batch has up to 100 items. */
const MAX_LINES = 5;

/** A limit to check, with the limit and window of the override that applies. */
interface NamespaceRequest extends LimitRequest {
  /** Undefined if no override applies. */
  readonly override: RatelimitOverride | undefined;
}

/** What a call sends. */
interface SentLimit {
  readonly identifier: string;
  readonly limit: number;
  readonly duration: number;
  readonly cost?: number | undefined;
}

export function toLimitRequest(
  namespace: RatelimitNamespace,
  { cost = 1, duration, identifier, limit }: SentLimit,
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

/** The same in v1, which has separate counters for calls with another limit and for calls with `async`. */
export function toFixedRequest(
  namespace: RatelimitNamespace,
  input: SentLimit & { readonly async?: boolean | undefined },
): NamespaceRequest {
  const request = toLimitRequest(namespace, input);
  const isAsync = request.override === undefined && input.async === true;
  return { ...request, ownerId: `${namespace.id}/${request.limit}${isAsync ? "/async" : ""}` };
}

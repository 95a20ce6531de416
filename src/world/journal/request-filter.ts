import * as z from "zod/mini";
import type { ServedContract } from "../../api/operation.ts";
import type { OperationName } from "../../api/operation-name.ts";
import { namedContracts } from "../../api/meant-operation.ts";
import { versionNames } from "../../api/version.ts";
import * as f from "../../schema/fields.ts";
import { isRecord } from "../../base/json.ts";
import { lazily } from "../../base/lazily.ts";
import { readOrThrow } from "../../schema/problems.ts";
import { askPredicate, type Input } from "../../faults/fault.ts";
import type { JournalEntry, RecordedRequest } from "./recorded-request.ts";
import { MAX_ENTRIES, toRequest } from "./recorded-request.ts";

const matchError = "expected an object with members of the input, or a function";

export const requestFilter = lazily(() =>
  f.objectOf({
    operation: z.optional(
      f.typed<OperationName>(f.described(f.text({ min: 1 }), "Only requests for this operation.")),
    ),
    status: f.optional(f.integer({ min: 100, max: 599 }), "Only requests with this status."),
    version: f.optional(f.choice(versionNames), "Only requests of this version of the interface."),
    match: f.optional(
      z.custom<Input | ((request: RecordedRequest) => boolean)>(
        (value) => typeof value === "function" || isRecord(value),
        { error: matchError },
      ),
      "Members that the input must contain (if it is a list, one of its items), or a synchronous predicate.",
    ),
  }),
);
/** Selects requests. A request must match all members that are set. */
export type RequestFilter = f.ShownBy<typeof requestFilter>;

export const countedFilter = lazily(() =>
  z.extend(requestFilter(), {
    count: f.optional(
      f.integer({ min: 1, max: MAX_ENTRIES }),
      "How many of them to wait for. Default: 1.",
    ),
  }),
);
/** Selects requests, and says how many of them to wait for. */
export type CountedFilter = f.ShownBy<typeof countedFilter>;

/**
 * @throws UsageError for an invalid filter, and for an operation that is not served, or not in the
 *   version: no request would match it, and a test that expects no request would pass by mistake
 */
export function checkFilter(
  filter: unknown,
  contracts: readonly ServedContract[],
  schemaOf: typeof requestFilter | typeof countedFilter = requestFilter,
): void {
  readOrThrow(schemaOf(), filter, "requests", (value) => {
    // Without an operation, any version may be meant: calls that no operation answers have one too.
    const { problem } = value.operation === undefined ? {} : namedContracts(value, contracts);
    return problem === undefined ? [] : [problem];
  });
}

/** The members by which calls are counted. They have few combinations, so counts need little memory. */
export type Outcome = Pick<JournalEntry, "operation" | "status" | "version">;

export function hasOutcome(
  outcome: Outcome,
  { operation, status, version }: Partial<Outcome>,
): boolean {
  if (version !== undefined && outcome.version !== version) return false;
  if (operation !== undefined && outcome.operation !== operation) return false;
  return status === undefined || outcome.status === status;
}

/** Whether an entry matches a filter that `checkFilter` accepted. */
export function matchesFilter(entry: JournalEntry, filter: RequestFilter): boolean {
  const { match } = filter;
  if (!hasOutcome(entry, filter)) return false;
  if (typeof match === "function") return askPredicate(match, toRequest(entry), "requests: match");
  return match === undefined || entry.input.contains(match);
}

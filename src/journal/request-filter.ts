import * as z from "zod/mini";
import { errorCodes, type ErrorCode } from "../contract/errors.ts";
import type { ServedContract } from "../contract/operation.ts";
import type { OperationName } from "../contract/operation-name.ts";
import { namedContracts } from "../contract/meant-operation.ts";
import { problemType, type ProblemType } from "../contract/v2/problem.ts";
import { versionNames, type VersionName } from "../contract/version.ts";
import { choice, integer, objectOf, text } from "../schema/fields.ts";
import { isRecord } from "../base/is-record.ts";
import { lazily } from "../base/lazily.ts";
import { readOrThrow } from "../schema/read-or-throw.ts";
import { askPredicate } from "../faults/ask-predicate.ts";
import type { Input } from "../faults/fault.ts";
import {
  MAX_ENTRIES,
  toRequest,
  type JournalEntry,
  type RecordedRequest,
} from "./recorded-request.ts";

/** Selects requests. A request must match all members that are set. */
export interface RequestFilter {
  /** `<group>.<operation>`, which must be served. */
  readonly operation?: OperationName | undefined;
  /** The version of the interface. */
  readonly version?: VersionName | undefined;
  /** The status of the reply. */
  readonly status?: number | undefined;
  /** The type of the problem of a refusal of v2. */
  readonly type?: ProblemType | undefined;
  /** The error code of a refusal of v1. */
  readonly code?: ErrorCode | undefined;
  /**
   * Members that the input must contain (if it is a list, one of its items), or a synchronous
   * predicate.
   */
  readonly match?: Input | ((request: RecordedRequest) => boolean) | undefined;
}

const matchError = "expected an object with members of the input, or a function";

const requestFilter = lazily(() =>
  objectOf({
    operation: z.optional(text({ min: 1 })),
    version: z.optional(choice(versionNames)),
    status: z.optional(integer({ min: 100, max: 599 })),
    type: z.optional(problemType("Only error replies of v2 with this type of problem.")),
    code: z.optional(choice(errorCodes)),
    match: z.optional(
      z.custom<RequestFilter["match"]>((value) => typeof value === "function" || isRecord(value), {
        error: matchError,
      }),
    ),
  }),
);

/** Selects requests, and says how many of them to wait for. Default: 1. */
export type CountedFilter = RequestFilter & { readonly count?: number | undefined };

export const countedFilter = lazily(() =>
  z.extend(requestFilter(), {
    count: z.optional(integer({ min: 1, max: MAX_ENTRIES })),
  }),
);

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

/** Whether an entry matches a filter that `checkFilter` accepted. */
export function matchesFilter(
  entry: JournalEntry,
  { code, match, operation, status, type, version }: RequestFilter,
): boolean {
  if (version !== undefined && entry.version !== version) return false;
  if (type !== undefined && entry.type !== type) return false;
  if (operation !== undefined && entry.operation !== operation) return false;
  if (status !== undefined && entry.status !== status) return false;
  if (code !== undefined && entry.code !== code) return false;
  if (typeof match === "function") return askPredicate(match, toRequest(entry), "requests: match");
  return match === undefined || entry.input.contains(match);
}

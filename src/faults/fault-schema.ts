import * as z from "zod/mini";
import { lazily } from "../base/lazily.ts";
import { errorCodes, errorStatus, type ErrorCode } from "../api/errors.ts";
import type { OperationName } from "../api/operation-name.ts";
import { refusedAnswers } from "../api/outcomes.ts";
import { problemType } from "../api/v2/problem.ts";
import { versionNames } from "../api/version.ts";
import * as f from "../schema/fields.ts";
import { isRecord } from "../base/json.ts";

/** An hour, in milliseconds. No client waits longer, and timers allow it (2^31 - 1 ms). */
export const MAX_LATENCY = 3_600_000;

const latencyError = `expected milliseconds, an integer from 0 to ${MAX_LATENCY}, or [min, max] of these, as a flag MIN-MAX`;
const milliseconds = { type: "integer", minimum: 0, maximum: MAX_LATENCY };

/** Milliseconds: a fixed delay, or the inclusive bounds of a random one. */
export type Latency = number | readonly [min: number, max: number];

export const latency = lazily(() =>
  f.described(z.custom<Latency>(isLatency, { error: latencyError }), {
    anyOf: [milliseconds, { type: "array", items: milliseconds, minItems: 2, maxItems: 2 }],
    description: "Delay of the reply in milliseconds, or [min, max] for a random delay.",
  }),
);

function isLatency(value: unknown): boolean {
  const times: unknown[] = Array.isArray(value) && value.length === 2 ? value : [value];
  const [min, max] = [times[0], times.at(-1)].map(Number);
  const isWithin = (time: unknown) =>
    Number.isInteger(time) && Number(time) >= 0 && Number(time) <= MAX_LATENCY;
  return times.every(isWithin) && Number(min) <= Number(max);
}

/**
 * Refuses values that JSON cannot hold, because no input has them. Also refuses undefined: `copyJson`
 * would drop it, and the fault would match every call.
 */
function isComparable(value: unknown, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false;
  const isWithin = (member: unknown) => isComparable(member, depth + 1);
  if (Array.isArray(value)) return value.every(isWithin);
  if (isRecord(value)) {
    // Accepts plain objects of other realms, and objects without a prototype.
    const isPlain = Object.prototype.toString.call(value) === "[object Object]";
    return isPlain && Object.values(value).every(isWithin);
  }
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

/** As in `meta`. */
const MAX_DEPTH = 100;

/** `drop` and `hang` send no reply; `truncate` and `malformed` change the reply that is sent. */
const effects = ["drop", "hang", "truncate", "malformed"] as const;
export type Effect = (typeof effects)[number];

const matchError = "expected an object of values that JSON can hold";
const match = lazily(() =>
  f.described(
    z.custom<Readonly<Record<string, unknown>>>((value) => isRecord(value) && isComparable(value), {
      error: matchError,
    }),
    {
      type: "object",
      additionalProperties: true,
      description:
        'Members that the parsed input must contain, like `{ "limit": 10 }`. Objects may contain more, lists must be equal. If the input is a list, one of its items must contain them. Default: any input.',
    },
  ),
);

const operation = lazily(() => {
  const schema = f.described(
    f.text({ min: 1 }),
    "The operation that it hits, like `keys.createKey`. Default: every operation.",
  );
  // With the type `string` of the schema, editors would complete nothing.
  return schema as unknown as z.ZodMiniType<OperationName, OperationName>;
});

const headers = lazily(() =>
  f.described(
    z.record(z.string(), f.text(), { error: "expected an object of headers" }),
    'Headers of the reply, like `{ "Retry-After": "30" }`. Headers that the emulator sets are refused.',
  ),
);

const probabilityError = "expected a number above 0, up to 1";

/** A fault as a fixture, a test or a control request describes it. */
export const faultInit = lazily(() =>
  f.component(
    "Fault",
    "A failure on purpose: a refusal, an answer that says no, a delay or a broken reply.",
    {
      operation: z.optional(operation()),
      version: f.optional(
        f.choice(versionNames),
        "The version of the interface that it hits. Default: every version.",
      ),
      match: z.optional(match()),
      times: f.optional(f.integer({ min: 1 }), "How many calls it hits. Default: all."),
      skip: f.optional(
        f.integer({ min: 0 }),
        "How many matching calls it skips first. `times` counts after them. Default: 0.",
      ),
      probability: f.optional(
        z
          .number({ error: probabilityError })
          .check(z.gt(0, { error: probabilityError }), z.maximum(1, { error: probabilityError })),
        "How likely it hits a matching call, drawn from the random seed. Default: 1.",
      ),
      status: f.optional(
        f.integer({ min: 400, max: 599 }),
        "Status of the refusal, which has the service's error envelope. Default: the status of `code`.",
      ),
      code: f.optional(
        f.choice(errorCodes),
        "Code of the refusal. Default: the code of `status`, and `NOT_FOUND` for 410. Any other status has `INTERNAL_SERVER_ERROR` from 500 on, else `BAD_REQUEST`.",
      ),
      type: z.optional(
        problemType(
          "Type of the refusal in v2, like `unkey/data/role_not_found`; v1 answers with its status. A type that the service does not send needs a `status` or `code` as well. Default: the type of `status` or `code`.",
        ),
      ),
      headers: z.optional(headers()),
      latency: z.optional(latency()),
      effect: f.optional(
        f.choice(effects),
        "`drop`: the connection is closed without a reply. `hang`: it stays open without a reply. `truncate`: it is closed in the middle of the body. `malformed`: the body is not JSON.",
      ),
      answer: f.optional(
        f.choice(refusedAnswers),
        "The reply is 200 and says no: of `keys.verifyKey` with this code, of a rate limit only `RATE_LIMITED`. Neither credits nor limits count the use. It needs an `operation` that can answer so.",
      ),
      when: f.optional(
        f.choice(["before", "after"]),
        "Whether it hits before or after the operation takes effect. Default: `before`; `after` for `truncate` and `malformed` without a status.",
      ),
    },
  ),
);

export type FaultMembers = z.output<ReturnType<typeof faultInit>>;

/** The default code for a status; for 403, INSUFFICIENT_PERMISSIONS. */
export function codeOf(status: number): ErrorCode {
  if (status === 410) return "NOT_FOUND";
  const code = errorCodes.findLast((candidate) => errorStatus[candidate] === status);
  return code ?? (status >= 500 ? "INTERNAL_SERVER_ERROR" : "BAD_REQUEST");
}

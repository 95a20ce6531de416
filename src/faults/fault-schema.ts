import * as z from "zod/mini";
import { errorCodes, errorStatus, type ErrorCode } from "../contract/errors.ts";
import { choice, docs, integer, objectOf, text } from "../schema/fields.ts";
import { isRecord } from "../schema/is-record.ts";

/** Longer than any client waits, and within what a timer can count. */
export const MAX_LATENCY = 3_600_000;

const latencyError = `expected milliseconds, an integer from 0 to ${MAX_LATENCY}, or [min, max] of these`;
const milliseconds = { type: "integer", minimum: 0, maximum: MAX_LATENCY };

/** A number, or two between which it is drawn. */
export type Latency = number | readonly [min: number, max: number];

export const latency = z.custom<Latency>(isLatency, { error: latencyError }).register(docs, {
  anyOf: [milliseconds, { type: "array", items: milliseconds, minItems: 2, maxItems: 2 }],
  description: "Milliseconds that the reply takes longer, or [min, max] to draw from.",
});

function isLatency(value: unknown): boolean {
  const times: unknown[] = Array.isArray(value) && value.length === 2 ? value : [value];
  return times.every(
    (time) => Number.isInteger(time) && Number(time) >= 0 && Number(time) <= MAX_LATENCY,
  );
}

/** What is undefined would let every call pass, and what JSON does not know none. */
function isComparable(value: unknown, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false;
  const isWithin = (member: unknown) => isComparable(member, depth + 1);
  if (Array.isArray(value)) return value.every(isWithin);
  if (isRecord(value)) {
    // Also one of another realm, or without a prototype.
    const isPlain = Object.prototype.toString.call(value) === "[object Object]";
    return isPlain && Object.values(value).every(isWithin);
  }
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

/** As deep as `meta` may be. */
const MAX_DEPTH = 100;

/** What happens to the reply beside its status; the last two distort a reply that is sent. */
const effects = ["drop", "hang", "truncate", "malformed"] as const;
export type Effect = (typeof effects)[number];

const matchError = "expected an object of values that JSON can hold";
const match = z
  .custom<Readonly<Record<string, unknown>>>((value) => isRecord(value) && isComparable(value), {
    error: matchError,
  })
  .register(docs, {
    type: "object",
    additionalProperties: true,
    description:
      'What the input contains, as the operation reads it, like `{ "limit": 10 }`; objects may contain more, lists have to be equal. Default: any input.',
  });

const probabilityError = "expected a number above 0, up to 1";

/** A fault as a fixture, a test or a control request describes it. */
export const faultInit = objectOf({
  operation: z.optional(
    text({ min: 1 }).register(docs, {
      description: "The operation that it strikes, like `keys.createKey`. Default: every one.",
    }),
  ),
  match: z.optional(match),
  times: z.optional(
    integer({ min: 1 }).register(docs, { description: "How many calls it strikes. Default: all." }),
  ),
  probability: z.optional(
    z
      .number({ error: probabilityError })
      .check(z.gt(0, { error: probabilityError }), z.maximum(1, { error: probabilityError }))
      .register(docs, {
        description: "How likely it strikes a call, drawn from the random seed. Default: 1.",
      }),
  ),
  status: z.optional(
    integer({ min: 400, max: 599 }).register(docs, {
      description:
        "Status of the refusal, which comes in the service's envelope. Default: that of `code`.",
    }),
  ),
  code: z.optional(
    choice(errorCodes).register(docs, {
      description:
        "Code of the refusal. Default: that of `status`; of one that has none, `INTERNAL_SERVER_ERROR` from 500 on, else `BAD_REQUEST`.",
    }),
  ),
  message: z.optional(
    text({ min: 1, max: 1_000 }).register(docs, { description: "Message of the refusal." }),
  ),
  latency: z.optional(latency),
  effect: z.optional(
    choice(effects).register(docs, {
      description:
        "`drop`: the connection is closed without a reply. `hang`: it stays open without one. `truncate`: it is closed within the body. `malformed`: the body is no JSON.",
    }),
  ),
  when: z.optional(
    choice(["before", "after"]).register(docs, {
      description:
        "Whether it strikes before or after the operation took effect. Default: `before`; `after` for `truncate` and `malformed` without a status.",
    }),
  ),
}).register(docs, { id: "Fault", description: "Something that goes wrong on purpose." });

export type FaultMembers = z.output<typeof faultInit>;

/** The code that follows from a status. */
export function codeOf(status: number): ErrorCode {
  const code = errorCodes.findLast((each) => errorStatus[each] === status);
  return code ?? (status >= 500 ? "INTERNAL_SERVER_ERROR" : "BAD_REQUEST");
}

import * as z from "zod/mini";
import { errorCodes } from "../contract/errors.ts";
import { faultInit } from "../faults/fault-schema.ts";
import {
  choice,
  described,
  docs,
  flag,
  integer,
  listOf,
  objectOf,
  text,
} from "../schema/fields.ts";
import type { OpenApiDocument } from "../contract/openapi.ts";
import {
  EXPECTED_DURATION,
  EXPECTED_TIME,
  toDuration,
  toTime,
  type Duration,
  type Time,
} from "../store/clock.ts";
import { apiInit, workspaceInit } from "../store/records.ts";

/** What control routes take and answer with, as the reference and their OpenAPI document tell it. */

const time = z
  .custom<Time>((value) => typeof value !== "object" && toTime(value) !== undefined, {
    error: EXPECTED_TIME,
  })
  .register(docs, { type: ["integer", "string"], description: "Unix milliseconds or ISO 8601." });
const duration = z
  .custom<Duration>((value) => toDuration(value) !== undefined, { error: EXPECTED_DURATION })
  .register(docs, { type: ["integer", "string"], description: "Milliseconds, or like `1h`." });

export const clockChange = objectOf({
  frozen: z.optional(described(flag(), "Whether it stands still.")),
  now: z.optional(described(time, "The time to go to.")),
  advance: z.optional(described(duration, "How far to go on.")),
}).register(docs, { id: "ClockChange", description: "How to change the clock." });
export type ClockChange = z.output<typeof clockChange>;

export const clockState = objectOf({
  now: described(integer({ min: 0 }), "Unix milliseconds."),
  frozen: described(flag(), "Whether it stands still."),
}).register(docs, { id: "Clock", description: "The emulator's time." });

export const faultState = z
  .extend(faultInit, {
    id: described(text(), "Names it for its removal."),
    hits: described(integer({ min: 0 }), "How many calls it has hits."),
    isPending: described(flag(), "Whether it has still to strike."),
  })
  .register(docs, { id: "FaultState", description: "A fault that is in force." });

/** `true` or `false` as text of a query. */
function queryFlag(description: string) {
  const error = "expected true or false";
  return z
    .pipe(
      z.string({ error }).check(z.regex(/^(?:true|false)$/, { error })),
      z.transform((value: string) => value === "true"),
    )
    .register(docs, { type: "boolean", description });
}

export const faultQuery = objectOf({
  pending: z.optional(queryFlag("Only those that have still to strike, or not.")),
});

export const resetQuery = objectOf({
  freshIds: z.optional(
    queryFlag("Whether new ids and key values are ones that were never used before."),
  ),
  all: z.optional(
    queryFlag(
      "With `isolate`, also the workspaces that tokens have for themselves; for the control token, or a listed token that may steer.",
    ),
  ),
});

export const recordedRequest = objectOf({
  operation: z.optional(
    described(text(), "Like `keys.createKey`; absent where the path leads to no operation."),
  ),
  method: described(text(), "The method, as it was sent."),
  path: described(text(), "Without the query, tokens and key values."),
  time: described(integer({ min: 0 }), "When it came, by the emulator's clock. Unix milliseconds."),
  input: z.optional(
    described(
      z.unknown(),
      "What was sent: the JSON body, or each parameter of the query as text. Tokens and key values are masked.",
    ),
  ),
  answer: z.optional(
    described(
      z.unknown(),
      "The body that was answered, masked like `input`; of a page how many keys it had. Absent where there is no reply.",
    ),
  ),
  status: z.optional(
    described(
      integer({ min: 100, max: 599 }),
      "Absent where a fault let there be no reply, or still delays it.",
    ),
  ),
  code: z.optional(described(choice(errorCodes), "Of a refusal.")),
  duration: described(z.number(), "How long it took. Milliseconds."),
  requestId: described(text(), "Equals the response header `Unkey-Request-Id`."),
  faults: described(listOf(text(), "ids of faults"), "Ids of the faults that hits it."),
}).register(docs, { id: "RecordedRequest", description: "What was asked, and how it ended." });

const statusError = "expected a status from 100 to 599";
export const requestQuery = objectOf({
  operation: z.optional(described(text({ min: 1 }), "Only requests for this operation.")),
  status: z.optional(
    z
      .pipe(
        z.string({ error: statusError }).check(z.regex(/^[1-5]\d\d$/, { error: statusError })),
        z.transform(Number),
      )
      .register(docs, { type: "integer", description: "Only those with this status." }),
  ),
  code: z.optional(described(choice(errorCodes), "Only refusals with this code.")),
});

const apiState = objectOf({
  id: apiInit.shape.id,
  name: apiInit.shape.name,
  keys: described(integer({ min: 0 }), "How many keys it holds."),
  keyspace: described(flag(), "Whether it can hold keys."),
  defaultPrefix: apiInit.shape.defaultPrefix,
  defaultByteLength: apiInit.shape.defaultByteLength,
  storeEncryptedKeys: described(flag(), "Whether its keys can be `recoverable`."),
}).register(docs, { id: "ApiState", description: "An API, and how many keys it holds." });

export const workspaceState = objectOf({
  id: workspaceInit.shape.id,
  name: workspaceInit.shape.name,
  isIsolated: described(flag(), "Whether tokens that no fixture lists have copies of their own."),
  quirks: described(listOf(text(), "names of quirks"), "Names of the quirks that are switched on."),
  randomSeed: described(integer({ min: 0 }), "What ids and key values are made from."),
  apis: described(listOf(apiState, "APIs"), "What keys belong to."),
}).register(docs, { id: "WorkspaceState", description: "What requests with a token reach." });

export const events = described(
  text(),
  "Server-sent events: `request` with a request of the journal, `forgotten` when the journal is emptied, `change` with a `revision` that grows when a record, a fault or the clock has changed.",
);

/** How the emulator is; its version only where that is asked for. */
export const health = objectOf({ status: text(), version: z.optional(text()) });

export const openApiDocument = z.custom<OpenApiDocument>().register(docs, {
  type: "object",
  description: "An OpenAPI 3.1 document.",
});

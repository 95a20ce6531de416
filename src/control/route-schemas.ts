import * as z from "zod/mini";
import { errorCodes } from "../contract/errors.ts";
import { problemType } from "../contract/v2/problem.ts";
import { versionNames } from "../contract/version.ts";
import { ruleNames } from "../findings/rules.ts";
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
import { expectedTime, REAL, toTime, type Time } from "../store/clock.ts";
import { MAX_ENTRIES } from "../journal/recorded-request.ts";
import { duration, queryFlag, queryInteger, queryObject } from "./query-fields.ts";
import { apiInit, keyspaceId, workspaceInit } from "../store/records.ts";
import { timestamp } from "../store/vocabulary.ts";

// The queries and bodies of the control routes. Reference and OpenAPI document are made from them.

const time = z
  .custom<Time>(
    (value) => value === REAL || (typeof value !== "object" && toTime(value) !== undefined),
    { error: ({ input }) => expectedTime(input) },
  )
  .register(docs, {
    type: ["integer", "string"],
    description:
      "Unix milliseconds, ISO 8601, or like `in 30d`. `real` follows the real time again, running.",
  });
export const clockChange = objectOf({
  frozen: z.optional(described(flag(), "Whether the clock stands still.")),
  now: z.optional(described(time, "The time to set it to.")),
  advance: z.optional(described(duration, "How far to move it forward.")),
}).register(docs, { id: "ClockChange", description: "How to change the clock." });
export type ClockChange = z.output<typeof clockChange>;

export const clockState = objectOf({
  now: described(integer({ min: 0 }), "Unix milliseconds."),
  frozen: described(flag(), "Whether the clock stands still."),
}).register(docs, { id: "Clock", description: "The emulator's time." });

export const faultState = z
  .extend(faultInit(), {
    id: described(text(), "The id, with which you can remove it."),
    hits: described(integer({ min: 0 }), "How many calls it has hit."),
    isPending: described(
      flag(),
      "Whether it is still waited for: it has hit fewer calls than `times` (default: 1).",
    ),
  })
  .register(docs, { id: "FaultState", description: "A fault that is in force." });

export const faultQuery = objectOf({
  pending: z.optional(
    queryFlag("`true` lists only pending faults (see `isPending`), `false` only the others."),
  ),
});

export const versionQuery = objectOf({
  version: z.optional(
    described(choice(versionNames), "The version of the interface. Default: `v2`."),
  ),
});

export const resetQuery = objectOf({
  freshIds: z.optional(
    queryFlag("Whether new ids and key values are different from all that were used before."),
  ),
  all: z.optional(
    queryFlag(
      "With `isolate`, also reset the isolated workspaces. This needs the control token, or a listed token that may use control routes.",
    ),
  ),
});

export const restoreQuery = objectOf({
  initial: z.optional(
    queryFlag(
      "Whether `reset` brings this state back from now on. Clock, faults and journal then begin anew, and with `isolate` all workspaces.",
    ),
  ),
});

export const recordedRequest = objectOf({
  version: z.optional(
    described(
      choice(versionNames),
      "The version of the interface that the path belongs to; absent if it belongs to none.",
    ),
  ),
  operation: z.optional(
    described(text(), "Like `keys.createKey`; absent if the path leads to no operation."),
  ),
  method: described(text(), "The method, as it was sent."),
  path: described(text(), "Without the query, tokens and key values."),
  time: described(
    integer({ min: 0 }),
    "When it arrived, by the emulator's clock. Unix milliseconds.",
  ),
  input: z.optional(
    described(
      z.unknown(),
      "The JSON body, or the parameters of the query as text. Tokens and key values are masked.",
    ),
  ),
  answer: z.optional(
    described(
      z.unknown(),
      "The body of the reply, masked like `input`; for a page of keys only their number. Absent if there is no reply.",
    ),
  ),
  status: z.optional(
    described(
      integer({ min: 100, max: 599 }),
      "The status of the reply. Absent if a fault prevented or still delays it.",
    ),
  ),
  code: z.optional(described(choice(errorCodes), "The error code, for an error reply of v1.")),
  type: z.optional(problemType("The type of the problem, for an error reply of v2.")),
  hint: z.optional(described(text(), "Advice with an error reply, as in `X-Latchkey-Hint`.")),
  duration: described(z.number(), "How long it took. Milliseconds."),
  requestId: described(
    text(),
    "The id in the reply: in v1 its header `Unkey-Request-Id`, in v2 `meta.requestId`.",
  ),
  faults: described(listOf(text(), "ids of faults"), "Ids of the faults that hit it."),
}).register(docs, { id: "RecordedRequest", description: "A request and its outcome." });

export const findingState = objectOf({
  rule: described(choice(ruleNames), "The name of the rule that found it."),
  requests: described(
    listOf(text(), "ids of requests"),
    "The ids of the requests that show it, the oldest first; at most 100.",
  ),
  why: described(text(), "What the client did. Tokens and key values are masked."),
  advice: described(text(), "What to change in the client."),
}).register(docs, { id: "Finding", description: "A mistake of a client that is certain." });

export const needsQuery = objectOf({
  anyApi: z.optional(queryFlag("Whether to name `*` in place of each API and each namespace.")),
  all: z.optional(
    queryFlag(
      "Whether to count all calls since the start: also those before a reset, and with `isolate` those of all tokens. This needs the control token, or a listed token that may use control routes.",
    ),
  ),
});

const permissionName = described(text(), "The name of a permission.");
export const tokenNeeds = objectOf({
  token: described(
    text(),
    "`tokens[0]` for the first listed token; `unlisted[0]` for the first one that is not listed.",
  ),
  permissions: described(
    listOf(permissionName, "permissions"),
    "The least permissions with which all of its calls pass.",
  ),
  unused: described(
    listOf(permissionName, "permissions"),
    "The permissions that a listed token has, and that no call demanded.",
  ),
  refused: described(
    listOf(
      objectOf({
        operation: described(text(), "The operation that demanded it."),
        permission: described(text(), "The permission that is missing."),
        calls: described(integer({ min: 1 }), "How many calls were refused for want of it."),
      }),
      "refused rights",
    ),
    "Rights that calls demanded in vain, also where the answer was a 404 or the code `NOT_FOUND`.",
  ),
}).register(docs, { id: "TokenNeeds", description: "The permissions that a token needs." });

export const requestQuery = objectOf({
  operation: z.optional(described(text({ min: 1 }), "Only requests for this operation.")),
  status: z.optional(queryInteger({ min: 100, max: 599 }, "Only requests with this status.")),
  version: z.optional(
    described(choice(versionNames), "Only requests of this version of the interface."),
  ),
  code: z.optional(described(choice(errorCodes), "Only error replies of v1 with this code.")),
  type: z.optional(problemType("Only error replies of v2 with this type of problem.")),
  match: z.optional(
    queryObject(
      'Only requests whose input contains these members, like `{"apiId":"api_local"}`: a JSON object.',
    ),
  ),
  wait: z.optional(
    described(
      duration,
      "How long to wait for `count` of them, in real time: milliseconds, or like `5s`; at most a minute. Default: not at all.",
    ),
  ),
  count: z.optional(
    queryInteger(
      { min: 1, max: MAX_ENTRIES },
      "With `wait`: how many of them to wait for. Default: 1.",
    ),
  ),
});
export type RequestQuery = z.output<typeof requestQuery>;

const apiState = objectOf({
  id: apiInit().shape.id,
  name: apiInit().shape.name,
  keys: described(integer({ min: 0 }), "How many keys it holds."),
  keyspace: described(flag(), "Whether it can hold keys."),
  keyspaceId: z.optional(
    described(keyspaceId(), "The id of its keyspace; absent if it cannot hold keys."),
  ),
  defaultPrefix: apiInit().shape.defaultPrefix,
  defaultByteLength: apiInit().shape.defaultByteLength,
  storeEncryptedKeys: described(flag(), "Whether its keys can be `recoverable`."),
}).register(docs, { id: "ApiState", description: "An API, and how many keys it holds." });

export const workspaceState = objectOf({
  id: workspaceInit().shape.id,
  name: workspaceInit().shape.name,
  isIsolated: described(
    flag(),
    "Whether each token that no fixture lists has a separate workspace.",
  ),
  quirks: described(listOf(text(), "names of quirks"), "Names of the quirks that are switched on."),
  randomSeed: described(integer({ min: 0 }), "The seed that ids and key values are made from."),
  apis: described(listOf(apiState, "APIs"), "Its APIs, and how many keys each holds."),
  initial: described(
    objectOf({
      keys: described(integer({ min: 0 }), "How many keys the workspace then has."),
      since: timestamp("When it became the initial state, in real time."),
    }),
    "The state that a reset brings back.",
  ),
  mayControl: described(
    flag(),
    "Whether the token of the request may also change things here, and not only watch.",
  ),
  permissions: z.optional(
    described(
      listOf(text(), "permissions"),
      "The permissions of the token of the request for operations; absent if it is none for operations.",
    ),
  ),
}).register(docs, { id: "WorkspaceState", description: "The workspace of a token." });

export const events = described(
  text(),
  "Server-sent events: `request` with a request of the journal, `forgotten` when the journal is emptied, `change` with a `revision` that grows when a record, a fault, a finding or the clock has changed.",
);

/** The version is only in the reply to `/health`. */
export const health = objectOf({ status: text(), version: z.optional(text()) });

export const openApiDocument = z.custom<OpenApiDocument>().register(docs, {
  type: "object",
  description: "An OpenAPI 3.1 document.",
});

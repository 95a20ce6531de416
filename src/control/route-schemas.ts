import * as z from "zod/mini";
import { versionNames } from "../api/version.ts";
import type { OpenApiDocument } from "../api/openapi.ts";
import { faultInit } from "../state/faults/fault-schema.ts";
import { ABOUT_UNTIL, usageQuery } from "../state/history/usage.ts";
import { needsOptions } from "../world/journal/needed-permissions.ts";
import { countedFilter } from "../world/journal/request-filter.ts";
import { isRecord } from "../base/json.ts";
import {
  choice,
  described,
  docs,
  flag,
  integer,
  listOf,
  objectOf,
  optional,
  text,
} from "../schema/fields.ts";
import { queryOf } from "../schema/query.ts";
import { parseJson } from "../service/request.ts";
import {
  EXPECTED_DURATION,
  expectedTime,
  REAL,
  toDuration,
  toTime,
  type Duration,
  type Time,
} from "../state/clock.ts";
import { apiInit, keyspaceId } from "../state/apis.ts";
import { timestamp, workspaceInit } from "../state/vocabulary.ts";

// The queries and bodies of the control routes. Reference and OpenAPI document are made from them.

const duration = z
  .custom<Duration>((value) => toDuration(value) !== undefined, { error: EXPECTED_DURATION })
  .register(docs, { type: ["integer", "string"], description: "Milliseconds, or like `1h`." });

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
  frozen: optional(flag(), "Whether the clock stands still."),
  now: optional(time, "The time to set it to."),
  advance: optional(duration, "How far to move it forward."),
}).register(docs, { id: "ClockChange", description: "How to change the clock." });
export type ClockChange = z.output<typeof clockChange>;

export const clockState = objectOf({
  now: described(integer({ min: 0 }), "Unix milliseconds."),
  frozen: described(flag(), "Whether the clock stands still."),
}).register(docs, { id: "Clock", description: "The emulator's time." });
/** The emulator's time. */
export type ClockState = Readonly<z.output<typeof clockState>>;

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
/** A fault of an emulator at the time of the call. */
export type FaultState = Readonly<z.output<typeof faultState>>;

export const faultQuery = queryOf(
  objectOf({
    pending: optional(
      flag(),
      "`true` lists only pending faults (see `isPending`), `false` only the others.",
    ),
  }),
);

export const versionQuery = objectOf({
  version: optional(choice(versionNames), "The version of the interface. Default: `v2`."),
});

export const resetQuery = queryOf(
  objectOf({
    freshIds: optional(
      flag(),
      "Whether new ids and key values are different from all that were used before.",
    ),
    all: optional(
      flag(),
      "With `isolate`, also reset the isolated workspaces. This needs the control token, or a listed token that may use control routes.",
    ),
  }),
);

export const restoreQuery = queryOf(
  objectOf({
    initial: optional(
      flag(),
      "Whether `reset` brings this state back from now on. Clock, faults and journal then begin anew, and with `isolate` all workspaces.",
    ),
  }),
);

export const needsQuery = queryOf(needsOptions());

const MATCH_ERROR = "expected a JSON object";

export const requestQuery = z.extend(queryOf(countedFilter()), {
  match: z.optional(
    z
      .pipe(
        z
          .string({ error: MATCH_ERROR })
          .check(z.refine((text) => isRecord(readJson(text)), { error: MATCH_ERROR })),
        z.transform((text: string) => readJson(text) as Readonly<Record<string, unknown>>),
      )
      .register(docs, {
        type: "string",
        description:
          'Only requests whose input contains these members, like `{"apiId":"api_local"}`: a JSON object.',
      }),
  ),
  wait: optional(
    duration,
    "How long to wait for `count` of them, in real time: milliseconds, or like `5s`; at most a minute. Default: not at all.",
  ),
});
export type RequestQuery = z.output<typeof requestQuery>;

export const countQuery = z.omit(requestQuery, { count: true, wait: true });

/** Undefined if the text is no JSON, or nested too deeply. */
function readJson(text: string): unknown {
  const { problem, ...parsed } = parseJson(new TextEncoder().encode(text), true);
  return problem === undefined && "value" in parsed ? parsed.value : undefined;
}

/** `usageOf` reads the time, which counts from the emulator's clock. */
export const usageParameters = z.extend(queryOf(usageQuery()), {
  until: optional(text({ min: 1 }), ABOUT_UNTIL),
});

const apiState = objectOf({
  id: apiInit().shape.id,
  name: apiInit().shape.name,
  keys: described(integer({ min: 0 }), "How many keys it holds."),
  keyspace: described(flag(), "Whether it can hold keys."),
  keyspaceId: optional(keyspaceId(), "The id of its keyspace; absent if it cannot hold keys."),
  defaultPrefix: apiInit().shape.defaultPrefix,
  defaultByteLength: apiInit().shape.defaultByteLength,
  storeEncryptedKeys: described(flag(), "Whether its keys can be `recoverable`."),
}).register(docs, { id: "ApiState", description: "An API, and how many keys it holds." });
export type ApiState = z.output<typeof apiState>;

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
  permissions: optional(
    listOf(text(), "permissions"),
    "The permissions of the token of the request for operations; absent if it is none for operations.",
  ),
}).register(docs, { id: "WorkspaceState", description: "The workspace of a token." });
export type WorkspaceState = z.output<typeof workspaceState>;

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

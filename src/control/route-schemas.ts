import * as z from "zod/mini";
import { versionNames } from "../api/version.ts";
import type { OpenApiDocument } from "../api/openapi/openapi.ts";
import { faultInit } from "../faults/fault-schema.ts";
import { ABOUT_UNTIL, usageQuery } from "../state/usage/usage.ts";
import { needsOptions } from "../world/journal/needed-permissions.ts";
import { countedFilter } from "../world/journal/request-filter.ts";
import { isRecord } from "../base/json.ts";
import * as f from "../schema/fields.ts";
import { queryOf } from "../schema/query.ts";
import type { Workspace } from "../state/workspace.ts";
import { parseJson } from "../service/request.ts";
import { REAL, toTime } from "../state/time/time-text.ts";
import { apiInit, keyspaceId } from "../state/records/apis.ts";
import { timestamp, workspaceInit, writtenDuration, writtenTime } from "../state/vocabulary.ts";

// The queries and bodies of the control routes, from which the reference and the OpenAPI document are
// generated.

const duration = f.described(writtenDuration(), {
  type: ["integer", "string"],
  description: "Milliseconds, or like `1h`.",
});

const time = f.described(
  writtenTime(
    (value) => value === REAL || (typeof value !== "object" && toTime(value) !== undefined),
  ),
  {
    type: ["integer", "string"],
    description:
      "Unix milliseconds, ISO 8601, or like `in 30d`. `real` follows the real time again, running.",
  },
);

export const clockChange = f.component("ClockChange", "How to change the clock.", {
  frozen: f.optional(f.flag(), "Whether the clock stands still."),
  now: f.optional(time, "The time to set it to."),
  advance: f.optional(duration, "How far to move it forward."),
});
export type ClockChange = z.output<typeof clockChange>;

export const clockState = f.component("Clock", "The emulator's time.", {
  now: f.described(f.integer({ min: 0 }), "Unix milliseconds."),
  frozen: f.described(f.flag(), "Whether the clock stands still."),
});
/** The emulator's time. */
export type ClockState = Readonly<z.output<typeof clockState>>;

export const faultState = f.described(
  z.extend(faultInit(), {
    id: f.described(f.text(), "The id, with which you can remove it."),
    hits: f.described(f.integer({ min: 0 }), "How many calls it has hit."),
    isPending: f.described(
      f.flag(),
      "Whether it is still waited for: it has hit fewer calls than `times` (default: 1).",
    ),
  }),
  { id: "FaultState", description: "A fault that is in force." },
);
/** A fault of an emulator at the time of the call. */
export type FaultState = Readonly<z.output<typeof faultState>>;

export const faultQuery = queryOf(
  f.objectOf({
    pending: f.optional(
      f.flag(),
      "`true` lists only pending faults (see `isPending`), `false` only the others.",
    ),
  }),
);

export const versionQuery = f.objectOf({
  version: f.optional(f.choice(versionNames), "The version of the interface. Default: `v2`."),
});

export const resetQuery = queryOf(
  f.objectOf({
    freshIds: f.optional(
      f.flag(),
      "Whether new ids and key values are different from all that were used before.",
    ),
    all: f.optional(
      f.flag(),
      "With `isolate`, also reset the isolated workspaces. This needs the control token, or a listed token that may use control routes.",
    ),
  }),
);

export const restoreQuery = queryOf(
  f.objectOf({
    initial: f.optional(
      f.flag(),
      "Whether `reset` brings this state back from now on. Clock, faults and journal then start over, and with `isolate` all workspaces.",
    ),
  }),
);

export const needsQuery = queryOf(needsOptions());

const MATCH_ERROR = "expected a JSON object";

export const requestQuery = z.extend(queryOf(countedFilter()), {
  match: z.optional(
    f.described(
      z.pipe(
        z
          .string({ error: MATCH_ERROR })
          .check(z.refine((text) => isRecord(readJson(text)), { error: MATCH_ERROR })),
        z.transform((text: string) => readJson(text) as Readonly<Record<string, unknown>>),
      ),
      {
        type: "string",
        description:
          'Only requests whose input contains these members, like `{"apiId":"api_local"}`: a JSON object.',
      },
    ),
  ),
  wait: f.optional(
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
  until: f.optional(f.text({ min: 1 }), ABOUT_UNTIL),
});

const apiState = f.component("ApiState", "An API, and how many keys it holds.", {
  id: apiInit().shape.id,
  name: apiInit().shape.name,
  keys: f.described(f.integer({ min: 0 }), "How many keys it holds."),
  keyspace: f.described(f.flag(), "Whether it can hold keys."),
  keyspaceId: f.optional(keyspaceId(), "The id of its keyspace; absent if it cannot hold keys."),
  defaultPrefix: apiInit().shape.defaultPrefix,
  defaultByteLength: apiInit().shape.defaultByteLength,
  storeEncryptedKeys: f.described(f.flag(), "Whether its keys can be `recoverable`."),
});

export const workspaceState = f.component("WorkspaceState", "The workspace of a token.", {
  id: workspaceInit().shape.id,
  name: workspaceInit().shape.name,
  isIsolated: f.described(
    f.flag(),
    "Whether each token that no fixture lists has a separate workspace.",
  ),
  gateway: f.optional(f.text(), "The URL of the gateway that latchkey serves, if there is one."),
  quirks: f.described(
    f.listOf(f.text(), "names of quirks"),
    "Names of the quirks that are switched on.",
  ),
  randomSeed: f.described(f.integer({ min: 0 }), "The seed that ids and key values are made from."),
  apis: f.described(f.listOf(apiState, "APIs"), "Its APIs, and how many keys each holds."),
  initial: f.described(
    f.objectOf({
      keys: f.described(f.integer({ min: 0 }), "How many keys the workspace then has."),
      since: timestamp("When it became the initial state, in real time."),
    }),
    "The state that a reset brings back.",
  ),
  mayControl: f.described(
    f.flag(),
    "Whether the token of the request may also change things here, and not only watch.",
  ),
  permissions: f.optional(
    f.listOf(f.text(), "permissions"),
    "The permissions of the token of the request for operations; absent if it is none for operations.",
  ),
});
export type WorkspaceState = z.output<typeof workspaceState>;

export function toWorkspaceState(
  { apis, id, ids, keys, name, quirks }: Workspace,
  { gateway, isIsolated }: Pick<WorkspaceState, "gateway" | "isIsolated">,
) {
  return {
    id,
    name,
    isIsolated,
    gateway,
    quirks: [...quirks],
    randomSeed: ids.seed,
    apis: apis.all().map((api) => ({ ...api, keys: keys.countOf({ apiId: api.id }) })),
  };
}

const limitState = f.component("LimitState", "A rate limit and its uses left.", {
  name: f.text(),
  limit: f.described(f.integer({ min: 0 }), "The uses that one window allows."),
  duration: f.described(f.integer({ min: 1 }), "The length of a window (ms)."),
  autoApply: f.described(f.flag(), "Whether every verification counts."),
  remaining: f.described(f.integer({ min: 0 }), "The uses that are left now."),
  reset: timestamp("The end of the current window."),
});

export const keyLimits = f.objectOf({ limits: f.listOf(limitState, "rate limits") });
/** The rate limits of a key, each with the uses that are left in its window. */
export type KeyLimits = Readonly<z.output<typeof keyLimits>>;

const whole = (description: string) => f.described(f.integer({ min: 0 }), description);

const usedLimit = f.component("UsedLimit", "A rate limit that calls used, as it is now.", {
  who: f.described(f.text(), "The identifier, or the name of the key; its id, if it has no name."),
  of: f.described(f.text(), "The namespace, or the name of the limit of the key."),
  keyId: f.optional(f.text(), "Absent for a limit of a namespace."),
  requestId: f.described(f.text(), "The newest call that used it."),
  isRefused: f.described(f.flag(), "Whether that call was refused by it."),
  limit: whole("The uses that one window allows."),
  duration: f.described(f.integer({ min: 1 }), "The length of a window (ms)."),
  remaining: whole("The uses that are left now."),
  full: z.optional(
    timestamp("When, at the latest, all its uses are left again. Absent if they are."),
  ),
});
/** A rate limit that calls used, as it is now. */
export type UsedLimit = Readonly<z.output<typeof usedLimit>>;

export const usedLimits = f.objectOf({ limits: f.listOf(usedLimit, "rate limits") });

export const events = f.described(
  f.text(),
  "Server-sent events: `request` with a request of the journal, `forgotten` when the journal is emptied, `change` with a `revision` that grows when a record, a fault, a finding or the clock has changed.",
);

/** The version is only in the reply to `/health`. */
export const health = f.objectOf({ status: f.text(), version: z.optional(f.text()) });

export const openApiDocument = f.described(z.custom<OpenApiDocument>(), {
  type: "object",
  description: "An OpenAPI 3.1 document.",
});

import * as z from "zod/mini";
import { ApiError, errorCodes } from "../contract/errors.ts";
import { faultInit } from "../contract/fault.ts";
import {
  choice,
  described,
  docs,
  flag,
  integer,
  listOf,
  objectOf,
  text,
} from "../contract/fields.ts";
import type { OpenApiDocument } from "../contract/openapi.ts";
import { fixture, type Fixture } from "../seeding/fixtures/format.ts";
import { toBytes } from "../seeding/fixtures/text.ts";
import {
  EXPECTED_DURATION,
  EXPECTED_REACH,
  EXPECTED_TIME,
  toDuration,
  toTime,
  type Clock,
  type Duration,
  type Time,
} from "../store/clock.ts";
import { UsageError } from "../usage-error.ts";
import { version } from "../version.ts";
import type { Workspace } from "../store/workspace.ts";
import { toEvents } from "./events.ts";
import type { FaultInit } from "./fault.ts";
import { defineRoute, type ControlRoute } from "./route.ts";

const time = z
  .custom<Time>((value) => typeof value !== "object" && toTime(value) !== undefined, {
    error: EXPECTED_TIME,
  })
  .register(docs, { type: ["integer", "string"], description: "Unix milliseconds or ISO 8601." });
const duration = z
  .custom<Duration>((value) => toDuration(value) !== undefined, { error: EXPECTED_DURATION })
  .register(docs, { type: ["integer", "string"], description: "Milliseconds, or like `1h`." });

const clockChange = objectOf({
  frozen: z.optional(flag().register(docs, { description: "Whether it stands still." })),
  now: z.optional(described(time, "The time to go to.")),
  advance: z.optional(described(duration, "How far to go on.")),
}).register(docs, { id: "ClockChange", description: "How to change the clock." });

const clockState = objectOf({
  now: integer({ min: 0 }).register(docs, { description: "Unix milliseconds." }),
  frozen: flag(),
}).register(docs, { id: "Clock", description: "The emulator's time." });

const faultState = z
  .extend(faultInit, {
    id: text(),
    struck: integer({ min: 0 }).register(docs, { description: "How many calls it has struck." }),
    isPending: flag().register(docs, { description: "Whether it has still to strike." }),
  })
  .register(docs, { id: "FaultState", description: "A fault that is in force." });

const recordedRequest = objectOf({
  operation: z.optional(text()),
  method: text(),
  path: text(),
  time: integer({ min: 0 }).register(docs, { description: "Unix milliseconds." }),
  input: z.optional(z.unknown()),
  answer: z.optional(z.unknown()),
  status: z.optional(integer({ min: 100, max: 599 })),
  code: z.optional(choice(errorCodes)),
  duration: z.number().register(docs, { description: "Milliseconds." }),
  requestId: text(),
  faults: listOf(text(), "ids of faults"),
}).register(docs, { id: "RecordedRequest", description: "What was asked, and how it ended." });

const apiState = objectOf({
  id: text(),
  name: z.optional(text()),
  keys: integer({ min: 0 }).register(docs, { description: "How many keys it holds." }),
  keyspace: flag().register(docs, { description: "Whether it can hold keys." }),
  defaultPrefix: z.optional(text()),
  defaultByteLength: z.optional(integer({ min: 16 })),
  storeEncryptedKeys: flag().register(docs, {
    description: "Whether its keys can be `recoverable`.",
  }),
}).register(docs, { id: "ApiState", description: "An API, and how many keys it holds." });

const workspaceState = objectOf({
  id: text(),
  name: z.optional(text()),
  isIsolated: flag().register(docs, {
    description: "Whether tokens that no fixture lists have copies of their own.",
  }),
  quirks: listOf(text(), "names of quirks"),
  randomSeed: integer({ min: 0 }).register(docs, {
    description: "What ids and key values are made from.",
  }),
  apis: listOf(apiState, "APIs"),
}).register(docs, { id: "WorkspaceState", description: "What requests with a token reach." });

const events = text().register(docs, {
  description:
    "Server-sent events: `request` with a request of the journal, `forgotten` when the journal is emptied, `change` with a `revision` that grows when a record, a fault or the clock has changed.",
});

const state = objectOf({ status: text(), version: z.optional(text()) });

const document = z.custom<OpenApiDocument>().register(docs, {
  type: "object",
  description: "An OpenAPI 3.1 document.",
});

const flagError = "expected true or false";
const pending = z
  .pipe(
    z.string({ error: flagError }).check(z.regex(/^(?:true|false)$/, { error: flagError })),
    z.transform((value: string) => value === "true"),
  )
  .register(docs, {
    type: "boolean",
    description: "Only those that have still to strike, or not.",
  });

const statusError = "expected a status from 100 to 599";
const requestFilter = objectOf({
  operation: z.optional(text({ min: 1 })),
  status: z.optional(
    z
      .pipe(
        z.string({ error: statusError }).check(z.regex(/^[1-5]\d\d$/, { error: statusError })),
        z.transform(Number),
      )
      .register(docs, { type: "integer" }),
  ),
  code: z.optional(choice(errorCodes)),
});

/** Every route under `/_latchkey`. */
export const controlRoutes: readonly ControlRoute[] = [
  defineRoute({
    method: "GET",
    path: "/health",
    summary: "Tell that the emulator is alive",
    isOpen: true,
    answers: { 200: state },
    run: () => ({ body: { status: "ok", version } }),
  }),
  defineRoute({
    method: "GET",
    path: "/ready",
    summary: "Tell whether requests are answered at once",
    isOpen: true,
    answers: { 200: state, 503: state },
    run: ({ isChanging }) =>
      isChanging
        ? { status: 503, body: { status: "a new state is being put in place" } }
        : { body: { status: "ready" } },
  }),
  defineRoute({
    method: "POST",
    path: "/reset",
    summary: "Bring back the state of the start",
    answers: { 204: null },
    async run(steered) {
      await steered.reset();
      return {};
    },
  }),
  defineRoute({
    method: "GET",
    path: "/workspace",
    summary: "Tell what the token reaches: a workspace, its APIs and how many keys they hold",
    answers: { 200: workspaceState },
    run: (steered, { token }, { isIsolated }) => ({
      body: toWorkspaceState(steered.workspaceOf(token), isIsolated),
    }),
  }),
  defineRoute({
    method: "GET",
    path: "/events",
    summary: "Follow what is asked and what changes",
    isStream: true,
    answers: { 200: events },
    run: (steered) => ({ events: (signal) => toEvents(steered, signal) }),
  }),
  defineRoute({
    method: "GET",
    path: "/snapshot",
    summary: "Take all that the emulator holds, as a fixture",
    answers: { 200: fixture },
    run: (steered) => ({ body: toBytes(steered.snapshotText({})) }),
  }),
  defineRoute({
    method: "PUT",
    path: "/snapshot",
    summary: "Put a snapshot, or another fixture, in the place of all that the emulator holds",
    body: fixture,
    isReadByRun: true,
    answers: { 204: null },
    async run(steered, { body }) {
      await steered.restore(body as Fixture);
      return {};
    },
  }),
  defineRoute({
    method: "POST",
    path: "/seed",
    summary: "Add what a fixture describes",
    body: fixture,
    isReadByRun: true,
    answers: { 204: null },
    async run(steered, { body }) {
      await steered.add(body as Fixture);
      return {};
    },
  }),
  defineRoute({
    method: "GET",
    path: "/requests",
    summary: "List what was asked, the newest last",
    query: requestFilter,
    answers: { 200: objectOf({ requests: listOf(recordedRequest, "requests") }) },
    run: ({ journal }, { query }) => ({ body: { requests: journal.list(query) } }),
  }),
  defineRoute({
    method: "DELETE",
    path: "/requests",
    summary: "Forget what was asked",
    answers: { 204: null },
    run({ journal }) {
      journal.clear();
      return {};
    },
  }),
  defineRoute({
    method: "GET",
    path: "/faults",
    summary: "List the faults",
    query: objectOf({ pending: z.optional(pending) }),
    answers: { 200: objectOf({ faults: listOf(faultState, "faults") }) },
    run: ({ faults }, { query }) => ({
      body: {
        faults: faults
          .list()
          .filter(({ isPending }) => query.pending === undefined || isPending === query.pending),
      },
    }),
  }),
  defineRoute({
    method: "POST",
    path: "/faults",
    summary: "Let something go wrong",
    body: faultInit,
    isReadByRun: true,
    answers: { 201: faultState },
    run: ({ faults }, { body }) => ({ status: 201, body: faults.add(body as FaultInit) }),
  }),
  defineRoute({
    method: "DELETE",
    path: "/faults",
    summary: "Remove all faults",
    answers: { 204: null },
    run({ faults }) {
      faults.clear();
      return {};
    },
  }),
  defineRoute({
    method: "DELETE",
    path: "/faults/{id}",
    summary: "Remove a fault",
    answers: { 204: null, 404: null },
    run({ faults }, { id }) {
      if (!faults.remove({ id })) throw new ApiError("NOT_FOUND", `there is no ${id}`);
      return {};
    },
  }),
  defineRoute({
    method: "GET",
    path: "/clock",
    summary: "Tell the time",
    answers: { 200: clockState },
    run: ({ clock }) => ({ body: toClockState(clock) }),
  }),
  defineRoute({
    method: "PUT",
    path: "/clock",
    summary: "Steer the clock",
    body: clockChange,
    answers: { 200: clockState },
    run({ clock }, { body }) {
      steer(clock, body);
      return { body: toClockState(clock) };
    },
  }),
  defineRoute({
    method: "GET",
    path: "/openapi.json",
    summary: "Describe the control routes",
    isOpen: true,
    answers: { 200: document },
    run: async (_, __, description) => ({ body: await description.control() }),
  }),
  defineRoute({
    method: "GET",
    path: "/operations.json",
    summary: "Describe the operations that are served",
    isOpen: true,
    answers: { 200: document },
    run: async (_, __, description) => ({ body: await description.operations() }),
  }),
];

function toWorkspaceState({ apis, id, ids, keys, name, quirks }: Workspace, isIsolated: boolean) {
  return {
    id,
    name,
    isIsolated,
    quirks: [...quirks],
    randomSeed: ids.seed,
    apis: apis.all().map((api) => ({ ...api, keys: keys.countOf({ apiId: api.id }) })),
  };
}

function toClockState(clock: Clock) {
  return { now: clock.now(), frozen: clock.isFrozen };
}

/** Changes the clock in every way that is asked for, or in none. */
function steer(clock: Clock, { advance, frozen, now }: z.output<typeof clockChange>): void {
  if (advance === undefined && frozen === undefined && now === undefined) {
    throw new UsageError("clock: expected one of now, advance and frozen");
  }
  const target = (toTime(now) ?? clock.now()) + (toDuration(advance) ?? 0);
  if (toTime(target) === undefined) throw new UsageError(`clock: advance: ${EXPECTED_REACH}`);
  // Frozen first, so that it stands at exactly the time that it is set to.
  if (frozen === true) clock.freeze();
  if (now !== undefined || advance !== undefined) clock.set(target);
  if (frozen === false) clock.resume();
}

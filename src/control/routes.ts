import { ApiError } from "../api/errors.ts";
import { faultInit } from "../faults/fault-schema.ts";
import * as f from "../schema/fields.ts";
import { fixture, type Fixture } from "../seed/format.ts";
import { toBytes } from "../seed/snapshot.ts";
import { EXPECTED_IN_RANGE, REAL, toDuration, toTime } from "../state/time/time-text.ts";
import { UsageError } from "../base/usage-error.ts";
import { version } from "../base/version.ts";
import { inSlices } from "../base/steps.ts";
import type { Lifetime } from "../base/lifetime.ts";
import type { World } from "../world/world.ts";
import { toEvents } from "./events.ts";
import type { FaultInit } from "../faults/fault.ts";
import { finding } from "../world/findings/findings.ts";
import { tokenNeeds } from "../world/journal/needed-permissions.ts";
import { recordedRequest } from "../world/journal/recorded-request.ts";
import * as schemas from "./route-schemas.ts";
import { usage, usageOf } from "../state/usage/usage.ts";
import { recordRoutes } from "./record-routes.ts";
import { type ControlRoute, defineRoute, JsonBytes } from "./route.ts";

export const controlRoutes: readonly ControlRoute[] = [
  defineRoute("GET /health", {
    summary: "Check that the emulator is running",
    isOpen: true,
    answers: { 200: schemas.health },
    run: () => ({ body: { status: "ok", version } }),
  }),
  defineRoute("GET /ready", {
    summary: "Check that the emulator is ready for requests",
    isOpen: true,
    answers: { 200: schemas.health },
    run: () => ({ body: { status: "ready" } }),
  }),
  defineRoute("POST /reset", {
    summary: "Bring back the initial state",
    description:
      "Brings back the initial records, clock and faults, empties the journal and forgets the findings. The same ids and key values come again, unless `freshIds` is true.",
    query: schemas.resetQuery,
    run: (world, { query: { all, freshIds }, resetAll }) =>
      all === true ? resetAll({ freshIds }) : world.reset({ freshIds }),
  }),
  defineRoute("POST /mark", {
    summary: "Mark the end of what a test sets up",
    description:
      "A sweep spoils no call before the mark, and a program that fails has to leave what was there at the mark. A second mark is refused until the next reset. Without a sweep, it has no effect.",
    run: (world) => world.mark(),
  }),
  defineRoute("GET /workspace", {
    summary: "Show the workspace of the token, its APIs and how many keys they hold",
    isForWatching: true,
    answers: { 200: schemas.workspaceState },
    run(world, { description, mayControl, token }) {
      const { workspace } = world.openAccess(token);
      const permissions = token === undefined ? undefined : world.access(token)?.token.permissions;
      return {
        body: {
          ...schemas.toWorkspaceState(workspace, description),
          initial: world.initial.describe(workspace.id),
          mayControl,
          permissions,
        },
      };
    },
  }),
  defineRoute("GET /events", {
    summary: "Follow requests and changes",
    isForWatching: true,
    description: "Sends server-sent events until the client disconnects.",
    answers: { 200: schemas.events },
    run: (world) => ({ events: (signal) => toEvents(world, signal) }),
  }),
  defineRoute("GET /snapshot", {
    summary: "Take a snapshot: everything that the emulator holds, as a fixture",
    answers: { 200: fixture() },
    run: async (world) => ({
      body: new JsonBytes(await inSlices(toBytes(world.snapshotText({})))),
    }),
  }),
  defineRoute("PUT /snapshot", {
    summary: "Restore a snapshot: replace everything that the emulator holds",
    description:
      "Takes a snapshot or any other fixture, all of it or nothing. `reset` still brings back the initial state, and the clock and the journal stay as they are, unless `initial` is true.",
    query: schemas.restoreQuery,
    body: fixture(),
    parsesOwnBody: true,
    run: (world, { body, checkFixture, query: { initial }, restoreAsInitial }) =>
      initial === true
        ? restoreAsInitial(body as Fixture)
        : world.restore(body as Fixture, checkFixture, inSlices),
  }),
  defineRoute("POST /seed", {
    summary: "Add the content of a fixture",
    description:
      "Adds all of it or nothing. A name or id that exists already is refused. `reset` removes what was added.",
    body: fixture(),
    parsesOwnBody: true,
    run: (world, { body, checkFixture }) => world.seed(body as Fixture, checkFixture, inSlices),
  }),
  defineRoute("GET /requests", {
    summary: "List the requests in the journal, the newest last",
    isForWatching: true,
    isMasked: true,
    description:
      "Lists those that match all parameters. With `wait`, the reply comes as soon as there are `count` of them.",
    query: schemas.requestQuery,
    answers: {
      200: f.objectOf({ requests: f.listOf(recordedRequest(), "requests") }),
      408: null,
      409: null,
    },
    run: async (world, { client, query }) => ({
      body: { requests: await requestsOf(world, query, client) },
    }),
  }),
  defineRoute("GET /requests/count", {
    summary:
      "Count the requests that match all parameters, also those that the journal has forgotten",
    isForWatching: true,
    query: schemas.countQuery,
    answers: { 200: f.objectOf({ count: f.described(f.integer({ min: 0 }), "How many match.") }) },
    run: ({ journal }, { query }) => ({ body: { count: journal.count(query) } }),
  }),
  defineRoute("DELETE /requests", {
    summary: "Empty the journal",
    run: ({ journal }) => journal.clear(),
  }),
  defineRoute("GET /findings", {
    summary: "List the mistakes in how clients call the service, the oldest first",
    isForWatching: true,
    isMasked: true,
    answers: { 200: f.objectOf({ findings: f.listOf(finding(), "findings") }) },
    run: ({ findings }) => ({ body: { findings: findings.list() } }),
  }),
  defineRoute("DELETE /findings", {
    summary: "Forget the findings",
    run: ({ findings }) => findings.clear(),
  }),
  defineRoute("GET /needed-permissions", {
    summary: "List the permissions that each token needs for the calls that it made",
    query: schemas.needsQuery,
    answers: { 200: f.objectOf({ tokens: f.listOf(tokenNeeds(), "tokens") }) },
    run(world, { query, requireAll }) {
      if (query.all === true) requireAll("shows the calls of other tokens too");
      return { body: { tokens: world.neededPermissions(query) } };
    },
  }),
  defineRoute("GET /faults", {
    summary: "List the faults",
    isForWatching: true,
    query: schemas.faultQuery,
    answers: { 200: f.objectOf({ faults: f.listOf(schemas.faultState, "faults") }) },
    run: ({ faults }, { query }) => ({
      body: {
        faults: faults
          .list()
          .filter(({ isPending }) => query.pending === undefined || isPending === query.pending),
      },
    }),
  }),
  defineRoute("POST /faults", {
    summary: "Add a fault",
    body: faultInit(),
    parsesOwnBody: true,
    answers: { 201: schemas.faultState },
    run: ({ faults }, { body }) => ({ status: 201, body: faults.add(body as FaultInit) }),
  }),
  defineRoute("DELETE /faults", {
    summary: "Remove all faults",
    run: ({ faults }) => faults.clear(),
  }),
  defineRoute("DELETE /faults/{id}", {
    summary: "Remove a fault",
    answers: { 204: null, 404: null },
    run({ faults }, { id }) {
      if (!faults.remove({ id })) throw new ApiError("NOT_FOUND", `there is no ${id}`);
    },
  }),
  defineRoute("GET /usage", {
    summary: "Show how often keys were verified, by day and outcome",
    isForWatching: true,
    description:
      "Counts the verifications of all keys, or of those that the parameters select, by day (UTC) and by outcome. For generated keys, their generated history comes before what was counted.",
    query: schemas.usageParameters,
    answers: { 200: usage() },
    run: async (world, { query, token }) => ({
      body: await inSlices(usageOf(world.openAccess(token).workspace, query)),
    }),
  }),
  ...recordRoutes,
  defineRoute("GET /clock", {
    summary: "Show the time",
    isForWatching: true,
    answers: { 200: schemas.clockState },
    run: ({ clock }) => ({ body: toClockState(clock) }),
  }),
  defineRoute("PUT /clock", {
    summary: "Change the clock",
    description:
      "Sets the clock, moves it forward by a duration, freezes it or lets it run. One call can do several of these.",
    body: schemas.clockChange,
    answers: { 200: schemas.clockState },
    run({ clock }, { body }) {
      applyClock(clock, body);
      return { body: toClockState(clock) };
    },
  }),
  defineRoute("GET /openapi.json", {
    summary: "Describe the control routes",
    isOpen: true,
    answers: { 200: schemas.openApiDocument },
    run: async (_, { description }) => ({ body: await description.control() }),
  }),
  defineRoute("GET /operations.json", {
    summary: "Describe the operations that are served",
    isOpen: true,
    query: schemas.versionQuery,
    answers: { 200: schemas.openApiDocument },
    run: async (_, { description, query }) => ({
      body: await description.operations(query.version),
    }),
  }),
];

/** The longest `wait`, in milliseconds. Proxies and clients give up on replies that take much longer. */
const MAX_WAIT = 60_000;

/**
 * The requests that match. With `wait`, it waits until there are `count` of them.
 * @param client ends when the client leaves or the server is closed
 * @throws ApiError 408 if the time is up first, 409 if the state is replaced or the server is closed
 */
async function requestsOf(
  { journal }: World,
  { count, wait, ...filter }: schemas.RequestQuery,
  client: Lifetime | undefined,
) {
  if (wait === undefined) {
    if (count !== undefined) throw new UsageError("query: count: expected wait as well");
    return journal.list(filter);
  }
  if ((toDuration(wait) ?? 0) > MAX_WAIT) {
    throw new UsageError("query: wait: expected at most a minute");
  }
  const end = await journal.wait({ ...filter, count }, wait, client);
  if (typeof end === "object") return end;
  if (end !== undefined) throw new ApiError("BAD_REQUEST", `requests: ${end}`, { status: 408 });
  const ended = "requests: the emulator was reset, restored or closed while this call waited";
  throw new ApiError("CONFLICT", ended);
}

function toClockState(clock: World["clock"]) {
  return { now: clock.now(), frozen: clock.isFrozen };
}

/** Applies all changes, or none if one of them is invalid. */
function applyClock(clock: World["clock"], { advance, frozen, now }: schemas.ClockChange): void {
  if (advance === undefined && frozen === undefined && now === undefined) {
    throw new UsageError("clock: expected one of now, advance and frozen");
  }
  const start = now === REAL ? Date.now() : (toTime(now, clock.now()) ?? clock.now());
  const target = start + (toDuration(advance) ?? 0);
  if (toTime(target) === undefined) throw new UsageError(`clock: advance: ${EXPECTED_IN_RANGE}`);
  if (now === REAL) clock.set(REAL);
  // Frozen first, so that no time passes after the clock is set.
  if (frozen === true) clock.freeze();
  if ((now !== undefined && now !== REAL) || advance !== undefined) clock.set(target);
  if (frozen === false) clock.resume();
}

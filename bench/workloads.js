// The requests of the bench: many pages of a list, with and without a filter, and keys to create. The
// same world gives the same requests in the same order.
import { askFor } from "./ask.js";
import { headersFor, listPath } from "./processes.js";

const SEED = 20_260_101;
const BODIES = 1_000;
const BODY_BYTES = 600;
/** Keys that are verified. */
const VERIFIED = 400;
/** One in ten requests lists the keys of a single customer. */
const FILTERED_SHARE = 1 / 9;

/** How a version of the interface lists keys. Customers are named by these members in turn. */
const lists = {
  v1: {
    owners: ["externalId", "ownerId"],
    toRequest: (server, query) => ({ path: listPath(server, query), headers: headersFor(server) }),
    toPage: ({ cursor, keys }) => ({ cursor, keys }),
  },
  v2: {
    owners: ["externalId"],
    toRequest: (server, query) =>
      post(server, "/v2/apis.listKeys", { apiId: server.apiId, ...query }),
    toPage: ({ data, pagination }) => ({ cursor: pagination.cursor, keys: data }),
  },
};

/**
 * A request for every page of the list, and some for the keys of one customer, shuffled.
 */
export async function listRequests(server, limit, version = "v1") {
  const { owners, toRequest } = lists[version];
  const { externalIds, queries } = await walk(server, limit, version);
  const random = createRandom();
  const customers = shuffle([...externalIds], random);
  const count = Math.max(1, Math.round(queries.length * FILTERED_SHARE));
  const filters = Array.from({ length: count }, (_, index) => {
    const customer = customers[index % customers.length];
    return { limit, [owners[index % owners.length]]: customer };
  });
  return shuffle([...queries, ...filters], random).map((query) => toRequest(server, query));
}

/** Requests for the last pages of the list. */
export async function lastPages(server, limit, count) {
  const { queries } = await walk(server, limit, "v1");
  return queries.slice(-count).map((query) => lists.v1.toRequest(server, query));
}

/** The query of every page, and the customers of the keys on them. */
async function walk(server, limit, version) {
  const queries = [];
  const externalIds = new Set();
  let cursor;
  do {
    queries.push(cursor === undefined ? { limit } : { limit, cursor });
    const page = await getPage(server, queries.at(-1), version);
    for (const { identity } of page.keys) if (identity) externalIds.add(identity.externalId);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return { externalIds, queries };
}

async function getPage(server, query, version = "v1") {
  const { toPage, toRequest } = lists[version];
  return toPage(JSON.parse((await askFor(server.port, toRequest(server, query))).body));
}

function post(server, path, body) {
  const headers = { ...headersFor(server), "Content-Type": "application/json" };
  return { method: "POST", path, headers, body: JSON.stringify(body) };
}

export function createRequests(server, version = "v1") {
  const random = createRandom();
  return Array.from({ length: BODIES }, (_, index) => {
    const body = createBody(server.apiId, index, random);
    return post(server, `/${version}/keys.createKey`, version === "v1" ? body : toV2(body));
  });
}

/** The same key for v2, without roles, which would have to exist. */
function toV2(body) {
  const { environment: _, ratelimit, refill, remaining, roles: __, ...same } = body;
  const { duration, limit } = ratelimit;
  const ratelimits = [{ name: "default", limit, duration, autoApply: true }];
  return { ...same, credits: { remaining, refill }, ratelimits };
}

/** Keys of every kind: unlimited, with uses left, with rate limits. */
function keysToVerify(apiId) {
  const [many, window] = [1_000_000_000, 60_000];
  const ratelimits = [{ name: "calls", limit: many, duration: window, autoApply: true }];
  const kinds = [{}, { credits: { remaining: many } }, { ratelimits }, {}];
  return Array.from({ length: VERIFIED }, (_, index) => {
    return { apiId, prefix: "bench", ...kinds[index % kinds.length] };
  });
}

/** Creates the keys, and returns verifications of them, and of one that is unknown. */
export async function verifyRequests(server) {
  const values = [];
  for (const body of keysToVerify(server.apiId)) {
    const answer = await askFor(server.port, post(server, "/v2/keys.createKey", body));
    values.push(JSON.parse(answer.body).data.key);
  }
  return values.with(0, "bench_unknown").map((key) => post(server, "/v2/keys.verifyKey", { key }));
}

/**
 * Limits of this many identifiers, in a namespace that the first request makes. No request is refused.
 */
export function limitRequests(server, identifiers) {
  const limit = { namespace: "bench", limit: 1_000_000_000, duration: 60_000 };
  return Array.from({ length: identifiers }, (_, index) =>
    post(server, "/v2/ratelimit.limit", { ...limit, identifier: `user_${index}` }),
  );
}

const roles = ["admin", "billing", "deployer", "editor", "integration", "support", "viewer"];
const permissions = ["invoices.read", "payments.write", "projects.read", "webhooks.write"];
const regions = ["eu-central-1", "sa-east-1", "us-east-1", "us-west-2"];
const note = "Asked for by the team that runs the nightly jobs, to be rotated every quarter. ";

/** A typical key with many settings; 600 bytes as JSON. */
function createBody(apiId, index, random) {
  const two = (names) => shuffle([...names], random).slice(0, 2);
  const remaining = 100 + Math.floor(random() * 900);
  const body = {
    apiId,
    prefix: index % 3 === 0 ? "test" : "live",
    name: `Deploy of service ${index}`,
    byteLength: 24,
    externalId: `org_${Math.floor(random() * BODIES)
      .toString(36)
      .padStart(12, "0")}`,
    meta: { plan: "pro", region: regions[index % regions.length], seats: index, note: "" },
    roles: two(roles),
    permissions: two(permissions),
    expires: Date.now() + 90 * 86_400_000,
    remaining,
    refill: { interval: "monthly", amount: remaining, refillDay: 1 + (index % 28) },
    ratelimit: { type: "fast", limit: 100, duration: 60_000 },
    enabled: true,
    environment: "production",
  };
  const missing = BODY_BYTES - Buffer.byteLength(JSON.stringify(body));
  body.meta.note = note.repeat(Math.ceil(missing / note.length)).slice(0, missing);
  return body;
}

/** Nine requests of the first list, then one of the second. */
export function mix(lists, creates) {
  const { length } = lists;
  return creates.flatMap((create, index) => [
    ...Array.from({ length: 9 }, (_, offset) => lists[(index * 9 + offset) % length]),
    create,
  ]);
}

/** A number of items, spread evenly over the list. */
export function sample(requests, count) {
  const step = Math.max(1, requests.length / count);
  return Array.from(
    { length: Math.min(count, requests.length) },
    (_, index) => requests[Math.floor(index * step)],
  );
}

/** A generator of numbers from 0 to 1 that are the same in every run (mulberry32). */
export function createRandom(seed = SEED) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffle(items, random) {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const index = Math.floor(random() * (last + 1));
    [items[last], items[index]] = [items[index], items[last]];
  }
  return items;
}

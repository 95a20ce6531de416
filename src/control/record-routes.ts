import * as z from "zod/mini";
import { ApiError } from "../contract/errors.ts";
import { choice, described, docs, integer, listOf, objectOf, text } from "../schema/fields.ts";
import type { Key } from "../store/key.ts";
import type { Workspace } from "../store/workspace.ts";
import { UsageError } from "../usage-error.ts";
import { inSlices } from "./in-slices.ts";
import { queryInteger } from "./query-fields.ts";
import { recordKinds, toShown, type AnyRecord, type RecordKind } from "./record-kinds.ts";
import { toPage, type RecordList } from "./record-page.ts";
import { defineRoute, type ControlRoute } from "./route.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const MAX_OFFSET = 999_999_999;

const keyStates = ["valid", "disabled", "expired", "usedUp"] as const;
type KeyState = (typeof keyStates)[number];

/** What only the list of keys takes. */
const keyQuery = {
  apiId: z.optional(described(text({ min: 1 }), "Only keys of this API.")),
  state: z.optional(
    choice(keyStates).register(docs, {
      description:
        "Only keys that are in this state by the emulator's clock. `valid` are those in none of the others.",
    }),
  ),
};

interface ListQuery {
  readonly apiId?: string;
  readonly state?: KeyState;
  readonly search?: string;
  readonly sort?: string;
  readonly limit?: number;
  readonly offset?: number;
  readonly cursor?: string;
}

/** The routes of every kind of records. They only read, and never show the value of a key. */
export const recordRoutes: readonly ControlRoute[] = recordKinds.flatMap(routesOf);

function routesOf(kind: RecordKind): ControlRoute[] {
  const { name, noun, recordsOf, schema, searched, sorted } = kind;
  const isOfKeys = name === "keys";
  const further = kind.searchedToo === undefined ? [] : [kind.searchedToo];
  const notFound = () => new ApiError("NOT_FOUND", `there is no ${noun} with this id`);
  const routes = [
    defineRoute({
      method: "GET",
      path: `/${name}`,
      summary: `List the ${name}`,
      isForWatching: true,
      description: `Lists the ${name} page by page. Without \`search\`${isOfKeys ? ", `state`" : ""} and \`sort\`, a page takes the same time however many there are.`,
      query: objectOf({
        ...(isOfKeys ? keyQuery : {}),
        search: z.optional(
          described(
            text(),
            `Only those with this text in ${[...searched, ...further].join(", ")}, in any case.`,
          ),
        ),
        sort: z.optional(
          choice([sorted[0], ...sorted.slice(1), ...sorted.map((member) => `-${member}`)]).register(
            docs,
            { description: `The order; \`-\` turns it round. Default: \`${sorted[0]}\`.` },
          ),
        ),
        limit: z.optional(
          queryInteger(
            { min: 1, max: MAX_LIMIT },
            `The most of a page. Default: ${DEFAULT_LIMIT}.`,
          ),
        ),
        offset: z.optional(
          queryInteger(
            { min: 0, max: MAX_OFFSET },
            "How many to leave out before the page, instead of a `cursor`. Default: 0.",
          ),
        ),
        cursor: z.optional(
          described(text(), "The `cursor` of the page before, with the same parameters."),
        ),
      }),
      answers: {
        200: objectOf({
          [name]: listOf(schema, name),
          total: described(integer({ min: 0 }), "How many match, on all pages."),
          cursor: z.optional(described(text(), "Fetches the next page; absent on the last one.")),
        }),
      },
      async run(world, { query, token }) {
        const { workspace } = world.openAccess(token);
        const {
          apiId,
          cursor,
          limit = DEFAULT_LIMIT,
          offset = 0,
          search,
          sort = sorted[0],
          state,
        } = query as ListQuery;
        const list =
          apiId === undefined ? listAll(recordsOf(workspace)) : listOfApi(workspace, apiId);
        const textsOf = (record: AnyRecord) => [
          ...searched.map((member) => String(record[member] ?? "")),
          kind.furtherText?.(record, workspace) ?? "",
        ];
        const test = testOf(textsOf, search, state, () => world.clock.now());
        const page = await inSlices(toPage(list, { test, sort, limit, offset, cursor }));
        return {
          body: { [name]: page.items.map(toShown), total: page.total, cursor: page.cursor },
        };
      },
    }),
    defineRoute({
      method: "GET",
      path: `/${name}/{id}`,
      summary: `Show one of the ${name}`,
      isForWatching: true,
      answers: { 200: schema, 404: null },
      run(world, { id, token }) {
        const record = recordsOf(world.openAccess(token).workspace).get(id);
        if (record === undefined) throw notFound();
        return { body: toShown(record) };
      },
    }),
  ];
  if (!isOfKeys) return routes;
  const find = defineRoute({
    method: "POST",
    path: "/keys/find",
    summary: "Show the key with a value",
    isForWatching: true,
    description: "Finds a key by its value, also one that is not recoverable.",
    body: objectOf({ value: described(text({ min: 1 }), "The value of the key.") }).register(docs, {
      id: "KeyValue",
      description: "The value of a key.",
    }),
    answers: { 200: schema, 404: null },
    run(world, { body, token }) {
      const key = world.openAccess(token).workspace.keys.findByValue(body.value);
      if (key === undefined) throw new ApiError("NOT_FOUND", "there is no key with this value");
      return { body: toShown(key) };
    },
  });
  return [...routes, find];
}

function listAll(records: ReturnType<RecordKind["recordsOf"]>): RecordList {
  return {
    size: records.size,
    after(id, limit) {
      const found: AnyRecord[] = [];
      for (const record of records.from(id) as Iterable<AnyRecord>) {
        if (found.length === limit) break;
        if (record.id !== id) found.push(record);
      }
      return found;
    },
  };
}

/** @throws UsageError if there is no such API */
function listOfApi({ apis, keys }: Workspace, apiId: string): RecordList {
  if (apis.get(apiId) === undefined) {
    throw new UsageError("query: apiId: expected the id of an API");
  }
  return {
    size: keys.countOf({ apiId }),
    after: (keyId, limit) =>
      keys.page({ apiId }, { keyId, isInclusive: false }, limit) as unknown as AnyRecord[],
  };
}

/** Whether a record has the searched text and the state; undefined if neither was asked for. */
function testOf(
  textsOf: (record: AnyRecord) => readonly string[],
  search: string | undefined,
  state: KeyState | undefined,
  now: () => number,
): ((record: AnyRecord) => boolean) | undefined {
  if (search === undefined && state === undefined) return undefined;
  const wanted = (search ?? "").toLowerCase();
  const time = now();
  return (record) =>
    (wanted === "" || textsOf(record).some((shown) => shown.toLowerCase().includes(wanted))) &&
    (state === undefined || isIn(state, record as unknown as Key, time));
}

function isIn(state: KeyState, key: Key, now: number): boolean {
  const { enabled, expires = Infinity, remaining = Infinity } = key;
  switch (state) {
    case "disabled":
      return !enabled;
    case "expired":
      // At the very millisecond of `expires`, a key is still valid.
      return expires < now;
    case "usedUp":
      return remaining <= 0;
    case "valid":
      return enabled && expires >= now && remaining > 0;
  }
}

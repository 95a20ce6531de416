import { ApiError } from "../api/errors.ts";
import { choice, described, integer, listOf, objectOf, optional, text } from "../schema/fields.ts";
import { queryOf } from "../schema/query.ts";
import type { Workspace } from "../state/workspace.ts";
import { UsageError } from "../base/usage-error.ts";
import { inSlices } from "../base/steps.ts";
import { identitiesOf, keyQuery, type KeyQuery, keyRoutes, keyTestOf } from "./key-routes.ts";
import {
  type AnyRecord,
  identityRecord,
  type RecordKind,
  recordKinds,
  toShown,
} from "./record-kinds.ts";
import { type RecordList, toPage } from "./record-page.ts";
import { type ControlRoute, defineRoute } from "./route.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const MAX_OFFSET = 999_999_999;

/** What selects records of any kind, and orders them. */
export interface RecordFilter {
  /** Only records with this text in their names, ids and the like, in any case. */
  readonly search?: string | undefined;
  /** A member, like `name`; `-name` for the descending order. Default: `id`. */
  readonly sort?: string | undefined;
}

/** Selects keys, and orders them. */
export type KeyFilter = RecordFilter & KeyQuery;

interface Query extends RecordFilter, KeyQuery {
  readonly limit?: number;
  readonly offset?: number;
  readonly cursor?: string;
  readonly at?: string;
}

/** The routes of every kind of records. They only read, and never show the value of a key. */
export const recordRoutes: readonly ControlRoute[] = [
  ...recordKinds.flatMap(routesOf),
  ...keyRoutes,
];

function routesOf(kind: RecordKind): ControlRoute[] {
  const { name, noun, recordsOf, schema, searched, sorted } = kind;
  const isOfKeys = name === "keys";
  const further = kind.searchedToo === undefined ? [] : [kind.searchedToo];
  const notFound = () => new ApiError("NOT_FOUND", `there is no ${noun} with this id`);
  return [
    defineRoute({
      method: "GET",
      path: `/${name}`,
      summary: `List the ${name}`,
      isForWatching: true,
      description: `Lists the ${name} page by page. Without \`search\`${isOfKeys ? ", `externalId`, `state`" : ""} and \`sort\`, a page takes the same time however many there are.`,
      query: queryOf(
        objectOf({
          ...(isOfKeys ? keyQuery.shape : {}),
          search: optional(
            text(),
            `Only those with this text in ${[...searched, ...further].join(", ")}, in any case.`,
          ),
          sort: optional(
            choice([sorted[0], ...sorted.slice(1), ...sorted.map((member) => `-${member}`)]),
            `The order; \`-\` turns it round. Default: \`${sorted[0]}\`.`,
          ),
          limit: optional(
            integer({ min: 1, max: MAX_LIMIT }),
            `The most of a page. Default: ${DEFAULT_LIMIT}.`,
          ),
          offset: optional(
            integer({ min: 0, max: MAX_OFFSET }),
            "How many to leave out before the page, instead of a `cursor`. Default: 0.",
          ),
          cursor: optional(text(), "The `cursor` of the page before, with the same parameters."),
          at: optional(
            text(),
            `The id of a ${noun}: the page that has it, instead of an \`offset\`.`,
          ),
        }),
      ),
      answers: {
        200: objectOf({
          [name]: listOf(schema, name),
          ...(isOfKeys && {
            identities: described(
              listOf(identityRecord, "identities"),
              "The identities that the keys of the page belong to.",
            ),
          }),
          total: described(integer({ min: 0 }), "How many match, on all pages."),
          offset: optional(
            integer({ min: 0 }),
            "How many of them come before the page; absent if a `cursor` was sent.",
          ),
          cursor: optional(text(), "Fetches the next page; absent on the last one."),
        }),
      },
      async run(world, { query, token }) {
        const { workspace } = world.openAccess(token);
        const { at, cursor, limit = DEFAULT_LIMIT, offset = 0, sort = sorted[0] } = query as Query;
        const { apiId, search } = query as Query;
        const list =
          apiId === undefined ? listAll(recordsOf(workspace)) : listOfApi(workspace, apiId);
        const test = both(
          searchOf(kind, workspace, search),
          keyTestOf(query as Query, world.clock.now()) as Test | undefined,
        );
        const page = await inSlices(toPage(list, { at, test, sort, limit, offset, cursor }));
        const { items, ...others } = page;
        const identities = isOfKeys && { identities: identitiesOf(items, workspace) };
        return { body: { [name]: items.map(toShown), ...identities, ...others } };
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
}

function listAll(records: ReturnType<RecordKind["recordsOf"]>): RecordList {
  return {
    size: records.size,
    get: (id) => records.get(id) as AnyRecord | undefined,
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

function listOfApi({ apis, keys }: Workspace, apiId: string): RecordList {
  if (apis.get(apiId) === undefined) {
    throw new UsageError("query: apiId: expected the id of an API");
  }
  return {
    size: keys.countOf({ apiId }),
    get(id) {
      const key = keys.get(id) as AnyRecord | undefined;
      return key?.["apiId"] === apiId ? key : undefined;
    },
    after: (keyId, limit) =>
      keys.page({ apiId }, { keyId, isInclusive: false }, limit) as unknown as AnyRecord[],
  };
}

type Test = (record: AnyRecord) => boolean;

/** Whether a record has the searched text; undefined if none was asked for. */
function searchOf(kind: RecordKind, workspace: Workspace, search = ""): Test | undefined {
  if (search === "") return undefined;
  const wanted = search.toLowerCase();
  const hasIt = (shown: unknown) =>
    String(shown ?? "")
      .toLowerCase()
      .includes(wanted);
  return (record) =>
    kind.searched.some((member) => hasIt(record[member])) ||
    hasIt(kind.furtherText?.(record, workspace));
}

function both(one: Test | undefined, other: Test | undefined): Test | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return (record) => one(record) && other(record);
}

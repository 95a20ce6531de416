import { ApiError } from "../api/errors.ts";
import * as f from "../schema/fields.ts";
import { queryOf } from "../schema/query.ts";
import type { Workspace } from "../state/workspace.ts";
import { UsageError } from "../base/usage-error.ts";
import type { Mask } from "../base/wording/mask.ts";
import { inSlices } from "../base/steps.ts";
import {
  besideKeys,
  keyQuery,
  type KeyQuery,
  keyRoutes,
  keyTestOf,
  toBesideKeys,
} from "./key-routes.ts";
import { type AnyRecord, type RecordKind, recordKinds, toShown } from "./record-kinds.ts";
import { type RecordList, toPage } from "./record-page.ts";
import { type ControlRoute, defineRoute } from "./route.ts";
import { usedLimitsRoute } from "./used-limits.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

/** Selects and sorts records of any kind. */
export interface RecordFilter {
  /** Only records with this text in their names, ids and the like, in any case. */
  readonly search?: string | undefined;
  /** A member, like `name`; `-name` for the descending order. Default: `id`. */
  readonly sort?: string | undefined;
}

/** Selects and sorts keys. */
export type KeyFilter = RecordFilter & KeyQuery;

interface Query extends RecordFilter, KeyQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly usage?: boolean;
}

/** The routes of every kind of records. They only read, and never show the value of a key. */
export const recordRoutes: readonly ControlRoute[] = [
  ...recordKinds.flatMap(routesOf),
  ...keyRoutes,
  usedLimitsRoute,
];

function routesOf(kind: RecordKind): ControlRoute[] {
  const { aboutComputed, computed = {}, name, noun, recordsOf, schema, searched, sorted } = kind;
  const isOfKeys = name === "keys";
  const further = kind.searchedToo === undefined ? [] : [kind.searchedToo];
  const notFound = () => new ApiError("NOT_FOUND", `there is no ${noun} with this id`);
  return [
    defineRoute(`GET /${name}`, {
      summary: `List the ${name}`,
      isForWatching: true,
      description: `Lists the ${name} page by page. Without \`search\`${isOfKeys ? ", `externalId`, `state`" : ""} and \`sort\`, a page takes the same time however many there are.`,
      query: queryOf(
        f.objectOf({
          ...(isOfKeys ? keyQuery.shape : {}),
          ...(isOfKeys && {
            usage: f.optional(f.flag(), "Whether to add how often each key is used."),
          }),
          search: f.optional(
            f.text(),
            `Only those with this text in ${[...searched, ...further].join(", ")}, in any case.`,
          ),
          sort: f.optional(
            f.choice([sorted[0], ...sorted.slice(1), ...sorted.map((member) => `-${member}`)]),
            `The order; \`-\` turns it round. Default: \`${sorted[0]}\`.${aboutComputed === undefined ? "" : ` ${aboutComputed}`}`,
          ),
          limit: f.optional(
            f.integer({ min: 1, max: MAX_LIMIT }),
            `The most of a page. Default: ${DEFAULT_LIMIT}.`,
          ),
          cursor: f.optional(
            f.text(),
            "The `cursor` of the page before, with the same parameters.",
          ),
        }),
      ),
      answers: {
        200: f.objectOf({
          [name]: f.listOf(schema, name),
          ...(isOfKeys && besideKeys),
          total: f.described(f.integer({ min: 0 }), "How many match, on all pages."),
          cursor: f.optional(f.text(), "Fetches the next page; absent on the last one."),
        }),
      },
      async run(world, { query, show, token }) {
        const { workspace } = world.openAccess(token);
        const { cursor, limit = DEFAULT_LIMIT, sort = sorted[0] } = query as Query;
        const { apiId, search } = query as Query;
        const list =
          apiId === undefined ? listAll(recordsOf(workspace)) : listOfApi(workspace, apiId);
        const now = world.clock.now();
        const test = both(
          searchOf(kind, workspace, search, show),
          keyTestOf(query as Query, now) as Test | undefined,
        );
        const member = sort.replace(/^-/, "");
        const compute = computed[member];
        const valueOf = (record: AnyRecord) =>
          compute === undefined ? record[member] : compute(record, now);
        const page = await inSlices(toPage(list, { test, sort, valueOf, limit, cursor }));
        const { items, ...others } = page;
        const shown = items.map((item) => toShown(item, workspace));
        const beside = isOfKeys && toBesideKeys(items, workspace, (query as Query).usage);
        return { body: { [name]: shown, ...beside, ...others } };
      },
    }),
    defineRoute(`GET /${name}/{id}`, {
      summary: `Show one of the ${name}`,
      isForWatching: true,
      answers: { 200: schema, 404: null },
      run(world, { id, token }) {
        const { workspace } = world.openAccess(token);
        const record = recordsOf(workspace).get(id);
        if (record === undefined) throw notFound();
        return { body: toShown(record, workspace) };
      },
    }),
  ];
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

type Test = (record: AnyRecord) => boolean;

/**
 * Whether a record has the searched text in the form that is shown: a search must not reveal a masked
 * text. Undefined without a search.
 */
function searchOf(
  kind: RecordKind,
  workspace: Workspace,
  search: string | undefined = "",
  show: Mask,
): Test | undefined {
  if (search === "") return undefined;
  const wanted = search.toLowerCase();
  const isIn = (text: string) => text.toLowerCase().includes(wanted);
  const hasIt = (value: unknown) => {
    const text = String(value ?? "");
    return isIn(text) && isIn(show(text));
  };
  return (record) =>
    kind.searched.some((member) => hasIt(record[member])) ||
    hasIt(kind.furtherText?.(record, workspace));
}

function both(one: Test | undefined, other: Test | undefined): Test | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return (record) => one(record) && other(record);
}

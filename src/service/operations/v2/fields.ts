import * as z from "zod/mini";
import { EXPECTED_META_MEMBERS, MAX_META_MEMBERS } from "../../../api/v2/violations.ts";
import * as f from "../../../schema/fields.ts";
import { lazily } from "../../../base/lazily.ts";
import { MAX_KEY_BYTES, metaOfAnySize, metaUpTo } from "../../../schema/meta.ts";
import { toWireJson } from "../../../api/v2/json.ts";
import { keyInit } from "../../../state/keys/key.ts";
import { refill } from "../../../state/vocabulary.ts";
import { about } from "../fields.ts";
import { refusals, refuse } from "./refusals.ts";
import { STEP, type Steps } from "../../../base/steps.ts";

// Fields that several operations of v2 have. Bounds and patterns are as in the service.

const WORD = { of: "letters, digits and underscores", pattern: /^[a-zA-Z0-9_]+$/ };

export function word(size: { min: number; max: number }) {
  return f.patternText({ ...size, ...WORD });
}

export const keyId = lazily(() => f.described(word({ min: 3, max: 255 }), about.keyId));

export const externalId = lazily(() =>
  f.patternText({
    min: 1,
    max: 255,
    of: "letters, digits, `_`, `.` and `-`",
    pattern: /^[a-zA-Z0-9_.-]+$/,
  }),
);

export const roleName = lazily(() => f.text({ min: 1, max: 128 }));

export const permissionName = lazily(() =>
  f.patternText({
    min: 1,
    max: 128,
    of: "letters, digits, `_`, `:`, `-`, `.` and `*`",
    // With the same escapes as in the service, because messages show the pattern.
    pattern: new RegExp(String.raw`^[a-zA-Z0-9_:\-\.\*]+$`),
  }),
);

/** The latest expiry: 2100-01-01, in Unix milliseconds. */
export const MAX_EXPIRES = 4_102_444_800_000;

export const meta = lazily(() => withFewMembers(metaUpTo(MAX_KEY_BYTES, toWireJson)));
/** The operation checks its size, because the service does so after it has checked the permissions. */
export const identityMeta = lazily(() => withFewMembers(metaOfAnySize()));

function withFewMembers(schema: ReturnType<typeof metaUpTo>) {
  return f.described(
    schema.check(
      z.refine((value) => Object.keys(value).length <= MAX_META_MEMBERS, {
        error: EXPECTED_META_MEMBERS,
      }),
    ),
    {
      type: "object",
      additionalProperties: true,
      maxProperties: MAX_META_MEMBERS,
      description: "Free-form data.",
    },
  );
}

export const refillInput = lazily(() => {
  const { amount, interval } = refill().shape;
  return f.described(
    f.closedObjectOf({
      interval,
      amount,
      refillDay: f.optional(
        f.integer({ min: 1, max: 31 }),
        "Day of the month. Needed for `monthly`, ignored for `daily`.",
      ),
    }),
    {
      id: "RefillInput",
      description: "When and how far the uses are filled up.",
    },
  );
});

/** @throws ApiError for a monthly refill without a day; v1 takes the first of the month */
export function checkRefillDay({
  interval,
  refillDay,
}: z.output<ReturnType<typeof refillInput>>): void {
  if (interval === "monthly" && refillDay === undefined) throw refuse(refusals.noRefillDay);
}

const credits = lazily(() =>
  f.described(
    f.closedObjectOf({
      remaining: f.described(z.nullable(f.integer({ min: 0 })), about.usesOrAny),
      refill: z.optional(refillInput()),
    }),
    { id: "CreditsInput", description: "How often the key can be used." },
  ),
);

/** @throws ApiError for a refill of any number of uses, and for a monthly one without a day */
export function checkCredits(given: z.output<ReturnType<typeof credits>> | undefined): void {
  const { refill, remaining } = given ?? {};
  if (refill === undefined) return;
  if (remaining === null) throw refuse(refusals.noRemaining);
  checkRefillDay(refill);
}

/** The service ignores unknown members of an item. In other objects it refuses them. */
const ratelimitInput = lazily(() =>
  f.component("RatelimitInput", "A rate limit of the key or identity.", {
    name: f.described(f.text({ min: 3, max: 128 }), "Unique for the key or identity."),
    limit: f.described(f.integer({ min: 1 }), about.limit),
    duration: f.described(f.integer({ min: 1000 }), about.window),
    autoApply: f.described(f.flag(), about.autoApply),
  }),
);

// Functions, because each use has a different description.
export const ratelimitList = () => f.listOf(ratelimitInput(), "rate limits", { max: 50 });
export const roleNames = () => f.listOf(roleName(), "role names", { max: 100 });
export const permissionNames = () => f.listOf(permissionName(), "permission names", { max: 1000 });

export const newKeyInput = lazily(() => ({
  name: z.optional(f.described(f.text({ min: 1, max: 255 }), about.name)),
  meta: z.optional(meta()),
  permissions: f.optional(
    permissionNames(),
    "Names of permissions; one that does not exist is created.",
  ),
  expires: f.optional(
    f.integer({ min: 0, max: MAX_EXPIRES }),
    "When the key expires. Unix milliseconds. 0 has passed, unlike in v1.",
  ),
  credits: z.optional(credits()),
  ratelimits: f.optional(ratelimitList(), "Rate limits, by name."),
  enabled: keyInit().shape.enabled,
}));

export function decryptFlag(what: string) {
  const description = `${what} in \`plaintext\`. Default: false.`;
  return z.optional(f.described(f.flag(), description));
}

// The pages of lists. Every list of v2 is ascending by id, and its cursor is the id of the first
// record of the next page.

const MAX_LIMIT = 100;

/**
 * The members of an input that select a page.
 * @param options `limit`: the size of a page if the call gives none; `max`: the longest cursor
 */
export function pageMembers({
  limit = MAX_LIMIT,
  ...cursor
}: { readonly limit?: number; readonly max?: number } = {}) {
  return {
    limit: z._default(
      f.described(
        f.integer({ min: 1, max: MAX_LIMIT }),
        "The maximum number of records in a page.",
      ),
      limit,
    ),
    cursor: f.optional(
      f.text(cursor),
      "The `pagination.cursor` of the previous page. Any text is a position.",
    ),
  };
}

export const search = lazily(() =>
  f.optional(
    f.text({ max: 256 }),
    "Only records that contain this text, in upper or lower case. Blanks around it are ignored.",
  ),
);

export const pagination = lazily(() =>
  f.component("Pagination", "How to get the next page.", {
    cursor: f.optional(
      f.text(),
      "The id of the first record of the next page. Present exactly when more records exist.",
    ),
    hasMore: f.described(f.flag(), "Whether more matching records exist."),
  }),
);
export function pageOutput<Item extends z.ZodMiniType>(record: Item, noun: string) {
  return f.objectOf({
    data: f.described(f.listOf(record, noun), `The ${noun} of the page, ascending by id.`),
    pagination: pagination(),
  });
}

type Pagination = z.output<ReturnType<typeof pagination>>;

/**
 * Says how to get the page that begins with the record `next`. The last page has no cursor: null
 * breaks the public client, and any other cursor makes it ask again.
 */
export function toPagination(next: { readonly id: string } | undefined): Pagination {
  return next === undefined ? { hasMore: false } : { cursor: next.id, hasMore: true };
}

/**
 * A page of the records that contain the searched text.
 * @param records a set of records, or anything that lists them by id
 * @param textsOf the texts of a record that are searched
 */
export function* pageOf<Item extends { readonly id: string }>(
  records: { from(id?: string): Iterable<Item> },
  {
    cursor,
    limit,
    search: searched = "",
  }: { cursor?: string | undefined; limit: number; search?: string | undefined },
  textsOf: (item: Item) => readonly (string | undefined)[] = () => [],
): Steps<{ readonly items: readonly Item[]; readonly pagination: Pagination }> {
  const part = searched.trim().toLowerCase();
  const items: Item[] = [];
  let looked = 0;
  for (const item of records.from(cursor)) {
    if ((looked += 1) % STEP === 0) yield;
    const isFound =
      part === "" || textsOf(item).some((shown) => shown?.toLowerCase().includes(part));
    if (!isFound) continue;
    if (items.length === limit) return { items, pagination: toPagination(item) };
    items.push(item);
  }
  return { items, pagination: toPagination(undefined) };
}

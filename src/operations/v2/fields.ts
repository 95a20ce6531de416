import * as z from "zod/mini";
import { EXPECTED_META_MEMBERS, MAX_META_MEMBERS } from "../../contract/v2/violations.ts";
import {
  closedObjectOf,
  docs,
  flag,
  integer,
  listOf,
  objectOf,
  patternText,
  text,
} from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { meta as metaOfKey, metaOfAnySize } from "../../schema/meta.ts";
import { keyInit } from "../../store/key.ts";
import { refill } from "../../store/vocabulary.ts";
import { about } from "../fields.ts";
import { refusals, refuse } from "./refusals.ts";

// Fields that several operations of v2 have. The bounds and patterns are those of the service.

const WORD = { of: "letters, digits and underscores", pattern: /^[a-zA-Z0-9_]+$/ };

/** Letters, digits and underscores. */
export function word(size: { min: number; max: number }) {
  return patternText({ ...size, ...WORD });
}

export const keyId = lazily(() => word({ min: 3, max: 255 }).register(docs, about.keyId));

export const externalId = lazily(() =>
  patternText({
    min: 1,
    max: 255,
    of: "letters, digits, `_`, `.` and `-`",
    pattern: /^[a-zA-Z0-9_.-]+$/,
  }),
);

export const roleName = lazily(() => text({ min: 1, max: 128 }));

export const permissionName = lazily(() =>
  patternText({
    min: 1,
    max: 128,
    of: "letters, digits, `_`, `:`, `-`, `.` and `*`",
    // With the same escapes as in the service, because messages show the pattern.
    pattern: new RegExp(String.raw`^[a-zA-Z0-9_:\-\.\*]+$`),
  }),
);

/** The latest expiry: 2100-01-01, in Unix milliseconds. */
export const MAX_EXPIRES = 4_102_444_800_000;

/** Free-form data, with at most 100 members. */
export const meta = lazily(() => withFewMembers(metaOfKey()));
/** The operation checks its size, because the service does so after it has checked the permissions. */
export const identityMeta = lazily(() => withFewMembers(metaOfAnySize()));

function withFewMembers(schema: ReturnType<typeof metaOfKey>) {
  return schema
    .check(
      z.refine((value) => Object.keys(value).length <= MAX_META_MEMBERS, {
        error: EXPECTED_META_MEMBERS,
      }),
    )
    .register(docs, {
      type: "object",
      additionalProperties: true,
      maxProperties: MAX_META_MEMBERS,
      description: "Free-form data.",
    });
}

export const refillInput = lazily(() => {
  const { amount, interval } = refill().shape;
  return closedObjectOf({
    interval,
    amount,
    refillDay: z.optional(
      integer({ min: 1, max: 31 }).register(docs, {
        description: "Day of the month. Needed for `monthly`, ignored for `daily`.",
      }),
    ),
  }).register(docs, { id: "RefillInput", description: "When and how far the uses are filled up." });
});

/** @throws ApiError for a monthly refill without a day; v1 takes the first of the month */
export function checkRefillDay({
  interval,
  refillDay,
}: z.output<ReturnType<typeof refillInput>>): void {
  if (interval === "monthly" && refillDay === undefined) throw refuse(refusals.noRefillDay);
}

const credits = lazily(() =>
  closedObjectOf({
    remaining: z.nullable(integer({ min: 0 })).register(docs, about.usesOrAny),
    refill: z.optional(refillInput()),
  }).register(docs, { id: "CreditsInput", description: "How often the key can be used." }),
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
  objectOf({
    name: text({ min: 3, max: 128 }).register(docs, {
      description: "Unique for the key or identity.",
    }),
    limit: integer({ min: 1 }).register(docs, about.limit),
    duration: integer({ min: 1000 }).register(docs, about.window),
    autoApply: flag().register(docs, about.autoApply),
  }).register(docs, { id: "RatelimitInput", description: "A rate limit of the key or identity." }),
);

// These are functions, because each use has its own description.
export const ratelimitList = () => listOf(ratelimitInput(), "rate limits", { max: 50 });
export const roleNames = () => listOf(roleName(), "role names", { max: 100 });
export const permissionNames = () => listOf(permissionName(), "permission names", { max: 1000 });

/** The settings of a new key, however it is created. */
export const newKeyInput = lazily(() => ({
  name: z.optional(text({ min: 1, max: 255 }).register(docs, about.name)),
  meta: z.optional(meta()),
  permissions: z.optional(
    permissionNames().register(docs, {
      description: "Names of permissions; one that does not exist is created.",
    }),
  ),
  expires: z.optional(
    integer({ min: 0, max: MAX_EXPIRES }).register(docs, {
      description: "When the key expires. Unix milliseconds. 0 has passed, unlike in v1.",
    }),
  ),
  credits: z.optional(credits()),
  ratelimits: z.optional(
    ratelimitList().register(docs, {
      description: "Rate limits, by name.",
    }),
  ),
  enabled: keyInit().shape.enabled,
}));

export function decryptFlag(what: string) {
  const description = `${what} in \`plaintext\`. Default: false.`;
  return z.optional(flag().register(docs, { description }));
}

import * as z from "zod/mini";
import { docs, objectOf, patternText, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { meta as anyMeta } from "../../schema/meta.ts";

// Kinds of fields that several operations of v2 share. The bounds and patterns are the service's.

const WORD = { of: "letters, digits and underscores", pattern: /^[a-zA-Z0-9_]+$/ };

/** Letters, digits and underscores. */
export function word(size: { min: number; max: number }) {
  return patternText({ ...size, ...WORD });
}

export const keyId = lazily(() =>
  word({ min: 3, max: 255 }).register(docs, {
    description: "Identifier of the key.",
  }),
);

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
    // With the escapes of the service, because its messages show the pattern.
    pattern: new RegExp(String.raw`^[a-zA-Z0-9_:\-\.\*]+$`),
  }),
);

/** The latest expiry: 2100-01-01. Unix milliseconds. */
export const MAX_EXPIRES = 4_102_444_800_000;

export const MAX_META_MEMBERS = 100;
export const EXPECTED_META_MEMBERS = `expected at most ${MAX_META_MEMBERS} members`;

/** Free-form data, with at most 100 members. */
export const meta = lazily(() =>
  anyMeta
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
    }),
);

/** The member `meta` of every reply, which the emulator adds. */
export const replyMeta = lazily(() =>
  objectOf({
    requestId: text().register(docs, { description: "The id of the request." }),
  }).register(docs, { id: "Meta", description: "About the request." }),
);

import * as z from "zod/mini";
import { lazily } from "../base/lazily.ts";
import * as f from "../schema/fields.ts";
import type { Duration, Time } from "./time/time-text.ts";
import { EXPECTED_DURATION, expectedTime, readTime, toDuration, toTime } from "./time/time-text.ts";

// Fields of records, and their rules. The versions of the interface use them for the members that they
// have in common with records, so that the store imports nothing of a version.

export const byteLength = lazily(() => f.integer({ min: 16, max: 255 }));

export const MAX_PREFIX = 16;
export const prefix = lazily(() => f.text({ max: MAX_PREFIX }));

export const MAX_DESCRIPTION = 512;

/** The name of a role, or the slug of a permission. */
export const roleOrPermissionName = lazily(() => f.text({ min: 1, max: 512 }));

/** A name for people. */
export const label = lazily(() => f.described(f.text({ max: 256 }), "For a person to read."));

/** An id that is generated if it is not given. */
export const ownId = lazily(() => f.described(f.id, "Default: the next generated id."));

export const description = lazily(() =>
  f.optional(f.text({ max: MAX_DESCRIPTION }), "For a person to read."),
);

export const workspaceInit = lazily(() =>
  f.objectOf({
    id: f.described(f.id, "The `workspaceId` of every listed key."),
    name: z.optional(label()),
    enabled: f.optional(
      f.flag(),
      "False: every request with one of its tokens is refused with `FORBIDDEN`. Default: true.",
    ),
  }),
);
export type WorkspaceInit = z.infer<ReturnType<typeof workspaceInit>>;

/** The input of a record that has its id. */
export type Identified<Init> = Init & { readonly id: string };

/**
 * A time on the wire, in Unix milliseconds. The service's documentation names no unit. The live service
 * uses this one.
 */
export function timestamp(description: string) {
  return f.described(f.integer({ min: 0 }), `${description} Unix milliseconds.`);
}

/**
 * A time that a person writes, in a fixture or a test. It is read as unix milliseconds, once
 * `resolveTimes` has resolved a time that counts from now.
 */
export function time(description: string) {
  return f.described(
    f.written<number, Time>(
      (value) => (typeof value === "number" ? atLeast(0, value) : readTime(value)) as number,
      expectedTime,
    ),
    {
      type: ["integer", "string"],
      minimum: 0,
      description: `${description} A number: unix milliseconds.`,
      examples: [1767225600000, "2026-01-01T00:00:00Z", "in 30d", "90d ago", "today"],
    },
  );
}

/** A duration that a person writes, converted to milliseconds. */
export function duration({ min }: { readonly min: number }, description: string) {
  return f.described(
    f.written<number, Duration>(
      (value) => atLeast(min, typeof value === "number" ? value : toDuration(value)),
      () => `expected a duration in milliseconds, at least ${min}, or text like "1m"`,
    ),
    {
      type: ["integer", "string"],
      minimum: min,
      description,
      examples: [60000, "1m"],
    },
  );
}

/** A time that stays as a person wrote it, for a clock that reads it later. */
export function writtenTime(isTime = (value: unknown) => toTime(value) !== undefined) {
  return z.custom<Time>(isTime, { error: ({ input }) => expectedTime(input) });
}

/** A duration that stays as a person wrote it. */
export function writtenDuration() {
  return z.custom<Duration>((value) => toDuration(value) !== undefined, {
    error: EXPECTED_DURATION,
  });
}

function atLeast(min: number, value: number | undefined): number | undefined {
  const fits = Number.isInteger(value) && Number(value) >= min && Number(value) <= f.MAX_INTEGER;
  return fits ? value : undefined;
}

// zod passes all issues of a list to one call, and a call with more than 120,000 arguments overflows the
// stack. So each list of an input has a bound, which no real record comes near.
export const MAX_NAMES = 100_000;
/** For lists of objects, each of which may have several issues. */
export const MAX_OBJECTS = 30_000;

export function grantedNames({ max = MAX_NAMES } = {}) {
  return {
    roles: z.optional(
      f.described(
        f.listOf(roleOrPermissionName(), "role names", { max }),
        "Names of roles; one that does not exist is created.",
      ),
    ),
    permissions: z.optional(
      f.described(
        f.listOf(roleOrPermissionName(), "permission names", { max }),
        "Slugs of permissions; one that does not exist is created, with its slug as name.",
      ),
    ),
  };
}

/** `refillProblems` checks that `refillDay` comes only with the interval `monthly`. */
export const refill = lazily(() =>
  f.component("Refill", "When and how far `remaining` is filled up.", {
    interval: f.described(f.choice(["daily", "monthly"]), "How often the key is refilled."),
    amount: f.described(f.integer({ min: 1 }), "The number of uses after a refill."),
    refillDay: f.optional(
      f.integer({ min: 1, max: 31 }),
      "Day of the month; only for `monthly`. Default: 1.",
    ),
  }),
);
export type Refill = z.infer<ReturnType<typeof refill>>;

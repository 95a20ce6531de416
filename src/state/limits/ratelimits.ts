import * as z from "zod/mini";
import { lazily } from "../../base/lazily.ts";
import * as f from "../../schema/fields.ts";
import { isRecord } from "../../base/json.ts";
import { duration, MAX_OBJECTS } from "../vocabulary.ts";
import { encodeBase58, randomBigInt } from "../../base/random.ts";

/** The name of the only rate limit that v1 knows, as the member `ratelimit` of a key. */
export const DEFAULT_RATELIMIT = "default";

const WINDOW = "The window, in milliseconds.";
const WINDOW_OF_V1 = `${WINDOW} Needed, unless \`refillInterval\` is given.`;
const OLDER_WINDOW = "The older spelling of `duration`, which wins when both are sent.";

const ratelimitInit = lazily(() =>
  f.component("NamedRatelimit", "A rate limit of a key or an identity.", {
    name: f.described(
      f.text({ min: 3, max: 128 }),
      `Unique for the key or identity. v1 shows only the one called \`${DEFAULT_RATELIMIT}\`.`,
    ),
    limit: f.described(f.integer({ min: 1 }), "Uses in one window."),
    // Can be below 1000, because v1 accepts any `refillInterval` from 1.
    duration: duration({ min: 1 }, WINDOW),
    autoApply: f.described(
      f.flag(),
      "True: every verification counts. False: only a verification that names the limit.",
    ),
    async: f.optional(
      f.flag(),
      "Only v1 knows it: whether uses are counted at the edge. Default: true.",
    ),
  }),
);

export const ratelimitList = lazily(() =>
  f.described(
    f.listOf(ratelimitInit(), "rate limits", { max: MAX_OBJECTS }),
    "Rate limits, by name.",
  ),
);

/**
 * The rate limit of a new key in the spelling of v1. Clients up to 0.19 can only send `type`, `limit`,
 * `refillRate` and `refillInterval`. Later ones send `async`, `limit` and `duration`.
 */
export const plainRatelimit = lazily(() =>
  plainRatelimitOf({
    duration: f.described(f.integer({ min: 1000 }), WINDOW_OF_V1),
    refillInterval: f.described(f.integer({ min: 1 }), {
      deprecated: true,
      description: OLDER_WINDOW,
    }),
  }),
);

/** The same in a fixture or a test. */
export const plainRatelimitInit = lazily(() =>
  plainRatelimitOf({
    duration: duration({ min: 1000 }, WINDOW_OF_V1),
    refillInterval: duration({ min: 1 }, OLDER_WINDOW),
  }),
);

function plainRatelimitOf<Window extends z.ZodMiniType<number, unknown>>(windows: {
  readonly duration: Window;
  readonly refillInterval: Window;
}) {
  return f.described(
    f
      .objectOf({
        async: f.optional(
          f.flag(),
          "True: uses are counted at the edge, which is fast. False: uses are counted in one place, which is consistent. Wins over `type`. Default: true.",
        ),
        type: z.optional(
          f.described(f.choice(["fast", "consistent"]), {
            deprecated: true,
            description: "The older spelling of `async`: `fast` is true, `consistent` is false.",
          }),
        ),
        limit: f.described(f.integer({ min: 1 }), "Uses in one window."),
        duration: z.optional(windows.duration),
        refillRate: z.optional(
          f.described(f.integer({ min: 1 }), {
            deprecated: true,
            description: "Older clients send it. It has no effect.",
          }),
        ),
        refillInterval: z.optional(windows.refillInterval),
      })
      .check(
        z.refine(({ duration, refillInterval }) => (duration ?? refillInterval) !== undefined, {
          path: ["duration"],
          error:
            "expected an integer of at least 1000, or a `refillInterval` of at least 1 instead",
          // By default zod skips this check if a member has the wrong type. With `when`, one refusal
          // reports all problems.
          when: ({ value }) => isRecord(value),
        }),
      ),
    {
      id: "RatelimitInput",
      description: "The rate limit of a new key. It needs one of `duration` and `refillInterval`.",
    },
  );
}

/** A rate limit of a key or an identity. */
export type NamedRatelimit = Readonly<z.infer<ReturnType<typeof ratelimitInit>>>;

const NONE: NamedRatelimit[] = [];
Object.freeze(NONE);

/** A frozen list of frozen rate limits. Of two with the same name, the last one is used. */
export function toRatelimits(inits: readonly NamedRatelimit[] = NONE): NamedRatelimit[] {
  if (inits.length === 0) return NONE;
  const isFrozen = Object.isFrozen(inits) && inits.every((init) => Object.isFrozen(init));
  // The schema cannot express `readonly`.
  if (isFrozen) return inits as NamedRatelimit[];
  const byName = new Map(inits.map((init) => [init.name, toRatelimit(init)]));
  const ratelimits = [...byName.values()];
  Object.freeze(ratelimits);
  return ratelimits;
}

/**
 * The members are listed, because V8 gives every frozen copy made with `...` a separate hidden class,
 * which takes memory.
 */
function toRatelimit({ name, limit, duration, autoApply, async }: NamedRatelimit): NamedRatelimit {
  return Object.freeze({ name, limit, duration, autoApply, async });
}

/** The rate limit that v1 knows; undefined if there is none. */
export function defaultRatelimit(
  ratelimits: readonly NamedRatelimit[],
): NamedRatelimit | undefined {
  return ratelimits.find(({ name }) => name === DEFAULT_RATELIMIT);
}

/**
 * The id of a rate limit, which only v2 shows. It is derived from owner and name. So, as in the service,
 * a rate limit keeps its id when its limit changes.
 * @param owner the key or the identity that has the rate limit
 */
export function ratelimitId(owner: { readonly id: string }, { name }: NamedRatelimit): string {
  return encodeBase58(randomBigInt(`${owner.id}/ratelimit/${name}`, 11), 16, "rl_");
}

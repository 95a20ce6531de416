import * as z from "zod/mini";
import type { ApiError } from "../../api/errors.ts";
import { type Outcome, outcomes, type RefusedAnswer } from "../../api/outcomes.ts";
import { isGranted, type PermissionQuery } from "../../api/permission-query.ts";
import * as f from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { meta } from "../../schema/meta.ts";
import { type NamedRatelimit, ratelimitId } from "../../state/limits/ratelimits.ts";
import type { Key } from "../../state/keys/key.ts";
import type { Identity } from "../../state/records/identities.ts";
import { timestamp } from "../../state/vocabulary.ts";
import type { Workspace } from "../../state/workspace.ts";
import type { LimitResult } from "../../state/limits/counters.ts";
import { MAX_ITEMS } from "./fields.ts";
import { takeUses } from "./limits.ts";
import * as words from "./refused-words.ts";
import { permissionsOf } from "./keys.ts";

export const outcomeMembers = lazily(() => ({
  keyId: f.optional(f.text(), "Absent if no key has the value."),
  valid: f.described(f.flag(), "Whether the code is `VALID`."),
  name: z.optional(f.text()),
  meta: z.optional(meta()),
  expires: z.optional(timestamp("When the key expires.")),
  enabled: z.optional(f.flag()),
  permissions: z.optional(f.listOf(f.text(), "permission names")),
  roles: z.optional(f.listOf(f.text(), "role names")),
  code: f.described(f.choice(outcomes), "The outcome."),
}));

export const aboutVerification = {
  key: "The key value to verify.",
  body: {
    id: "VerifyKeyBody",
    description: "The key value to verify, and what it has to fulfil.",
    examples: [{ key: "test_3ZhLbSmYt2Wc9wHVX1xqhk" }],
  },
  result: { id: "VerifyKeyResult", description: "The outcome of the verification." },
} as const;

/** The schema of the rate limits that a call names. The versions have different bounds. */
export function namedLimits(bounds: {
  readonly name: { readonly min: number; readonly max?: number };
  readonly minDuration: number;
  readonly cost: string;
}) {
  const limit = f.component("RatelimitToCheck", "A rate limit to check.", {
    name: f.described(f.text(bounds.name), "The name of the rate limit."),
    cost: f.optional(f.integer({ min: 0 }), bounds.cost),
    limit: f.optional(
      f.integer({ min: 0 }),
      "With `duration`: a limit for this call only, which the key need not have.",
    ),
    duration: f.optional(f.integer({ min: bounds.minDuration }), "With `limit`: the window (ms)."),
  });
  return f.optional(
    f.listOf(limit, "rate limits", { max: MAX_ITEMS }),
    "Rate limits to check, in addition to those with `autoApply`.",
  );
}

/** A rate limit that a call names. With a limit and a duration, it is for this call only. */
type RequestedLimit = NonNullable<z.output<ReturnType<typeof namedLimits>>>[number];

export interface KeyChecks {
  /**
   * The stored key, which has the credits, if the verified key comes from a cache; undefined if it was
   * deleted.
   */
  readonly stored: Key | undefined;
  /** The answer that a fault forces; undefined if the key decides. */
  readonly answer?: RefusedAnswer | undefined;
  readonly cost: number;
  readonly limits: readonly RequestedLimit[];
  /** The API to which the key must belong; undefined for any. */
  readonly apiId?: string | undefined;
  /** Whether the reply has the rates of the key's limits, so that a hint may have them too. */
  readonly showsRates: boolean;
  /**
   * Which permissions the key needs; undefined for none. Called only after the earlier checks have
   * passed, because v1 parses the query only then, and refuses the call if it is invalid.
   */
  readonly neededPermissions: (() => PermissionQuery | undefined) | undefined;
  /**
   * The refusal of a named limit that does not exist.
   * @param identity the owner of the key; undefined if it has none
   */
  readonly unknownLimit: (name: string, identity: Identity | undefined) => ApiError;
}

/** A rate limit that was checked, with its members in the order in which v2 answers them. */
interface CheckedLimit
  extends
    Pick<LimitResult, "exceeded" | "remaining" | "reset">,
    Pick<NamedRatelimit, "name" | "autoApply"> {
  /** Empty for a limit that the key does not have. */
  readonly id: string;
  readonly limit: number;
  readonly duration: number;
}

export interface Verdict {
  readonly code: Outcome;
  /** The uses left after this one; undefined if they are not limited, or were not checked. */
  readonly remaining?: number | undefined;
  /** Undefined if they were not checked. */
  readonly limits?: CheckedLimit[];
  /** Why the key is not valid, for a hint; undefined if it is, or if a fault decided. */
  readonly reason?: string;
}

/**
 * Verifies a key in the service's order of checks, counts the use, and stores its time, even for a
 * refusal. If a rate limit refuses, the key loses no credits. If it has fewer credits than the cost, its
 * rate limits still count the use.
 * @throws ApiError for a named limit that does not exist; then nothing is counted
 */
export function verify(workspace: Workspace, key: Key, checks: KeyChecks): Verdict {
  const now = workspace.clock.now();
  const verdict = judge(workspace, key, checks, now);
  const { code } = verdict;
  workspace.usage.count(key.id, code, now);
  // A refused call takes no credits.
  const { stored } = checks;
  const left = code === "VALID" ? verdict.remaining : stored?.remaining;
  if (stored !== undefined && (stored.lastUsedAt !== now || stored.remaining !== left)) {
    workspace.keys.revise(stored, { lastUsedAt: now, remaining: left });
  }
  return verdict;
}

function judge(workspace: Workspace, key: Key, checks: KeyChecks, now: number): Verdict {
  const { answer, apiId, cost, neededPermissions } = checks;
  // As at the service, these two answers show the limits or the credits that refused. The hint of the
  // fault says why.
  if (answer === "RATE_LIMITED") {
    return { code: answer, limits: checkAll(workspace, key, checks).limits };
  }
  if (answer === "USAGE_EXCEEDED") return { code: answer, remaining: 0 };
  if (answer !== undefined) return { code: answer };
  if (!key.enabled) return { code: "DISABLED", reason: "the key is disabled" };
  if (apiId !== undefined && apiId !== key.apiId) {
    return { code: "FORBIDDEN", reason: "the key is of another API" };
  }
  // In the millisecond of `expires`, the key is still valid.
  if (key.expires !== undefined && now > key.expires) {
    return { code: "EXPIRED", reason: words.expiredWords(key.expires, now) };
  }
  const query = neededPermissions?.();
  if (query !== undefined) {
    const granted = new Set(permissionsOf(workspace, key));
    if (!isGranted(query, granted)) {
      return { code: "INSUFFICIENT_PERMISSIONS", reason: words.permissionWords(query, granted) };
    }
  }
  const { limits, reason } = checkAll(workspace, key, checks);
  if (reason !== undefined) return { code: "RATE_LIMITED", limits, reason };
  const { remaining } = checks.stored ?? key;
  if (remaining === undefined) return { code: "VALID", limits };
  return cost > remaining
    ? { code: "USAGE_EXCEEDED", limits, remaining, reason: words.usesWords(remaining, cost) }
    : { code: "VALID", limits, remaining: remaining - cost };
}

/** The uses left in a reply. They can be below 0 after v1 took more than there were; a reply shows 0. */
export function shownUses(remaining: number | undefined): number | undefined {
  return remaining === undefined ? undefined : Math.max(0, remaining);
}

/** A limit to check, with the key or identity whose uses it counts. */
interface OwnedLimit extends Omit<CheckedLimit, keyof LimitResult> {
  readonly ownerId: string;
  readonly cost: number;
}

/** Every limit of a key and its identity, with the uses left at that time. Nothing is counted. */
export function limitsLeft(
  { counters, identities }: Workspace,
  key: Key,
  time: number,
): readonly CheckedLimit[] {
  const limits = [...configuredLimits(key, identities.get(key.identityId)).values()];
  return limits.flatMap((limit) => {
    const results = counters.take([{ ...limit, cost: 0 }], time);
    return results.map((result) => toChecked(limit, result));
  });
}

/**
 * Checks all limits together. If one refuses, none counts the use.
 * @returns a reason for the limits that refuse; undefined if none does
 */
function checkAll(
  workspace: Workspace,
  key: Key,
  { answer, limits: named, showsRates, unknownLimit }: KeyChecks,
): { readonly limits: CheckedLimit[]; readonly reason?: string | undefined } {
  const identity = workspace.identities.get(key.identityId);
  if (named.length === 0 && key.ratelimits.length === 0 && !identity?.ratelimits.length) {
    return { limits: [] };
  }
  const checked = [...limitsToCheck(key, identity, named, unknownLimit)];
  const results = takeUses(workspace, checked, answer);
  const limits = checked.map((limit, index) => toChecked(limit, results[index] as LimitResult));
  if (!limits.some(({ exceeded }) => exceeded)) return { limits };
  const now = workspace.clock.now();
  const reasons = checked.flatMap((limit, index) => {
    const result = results[index] as LimitResult;
    if (!result.exceeded) return [];
    // A limit without an id is one that the call itself sent.
    const isShown = showsRates || limit.id === "";
    return [
      isShown
        ? words.limitWords(limit, result, now, limit.name)
        : words.windowWords(result, limit.name, now),
    ];
  });
  return { limits, reason: reasons.join("; ") };
}

function toChecked(
  { autoApply, duration, id, limit, name }: OwnedLimit,
  { exceeded, remaining, reset }: LimitResult,
): CheckedLimit {
  return { autoApply, duration, exceeded, id, limit, name, remaining, reset };
}

/** The limits of a key and its identity by name. The key's limit overrides the identity's. */
function configuredLimits(key: Key, identity: Identity | undefined): Map<string, OwnedLimit> {
  const known = new Map<string, OwnedLimit>();
  for (const owner of identity === undefined ? [key] : [identity, key]) {
    for (const ratelimit of owner.ratelimits) {
      const { autoApply, duration, limit, name } = ratelimit;
      const id = ratelimitId(owner, ratelimit);
      // Deleted first, because `set` alone would keep the position of the identity's limit.
      known.delete(name);
      known.set(name, { name, autoApply, id, limit, duration, ownerId: owner.id, cost: 1 });
    }
  }
  return known;
}

/** The limits with `autoApply`, then those that the call names. */
function limitsToCheck(
  key: Key,
  identity: Identity | undefined,
  named: readonly RequestedLimit[],
  unknownLimit: KeyChecks["unknownLimit"],
): Iterable<OwnedLimit> {
  const known = configuredLimits(key, identity);
  const applied = new Map([...known].filter(([, { autoApply }]) => autoApply));
  for (const { cost = 1, duration, limit, name } of named) {
    const configured = known.get(name);
    if (limit !== undefined && duration !== undefined) {
      const own = { name, autoApply: false, id: "", limit, duration, ownerId: key.id, cost };
      applied.set(name, own);
    } else if (configured !== undefined) {
      applied.set(name, { ...configured, cost });
    } else {
      throw unknownLimit(name, identity);
    }
  }
  return applied.values();
}

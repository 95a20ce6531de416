import type { ListedKey } from "../data/listed-key.ts";
import { toRate, toRelative, toUtc } from "../data/time.ts";

interface Badge {
  readonly kind: "bad" | "warn" | "calm";
  readonly text: string;
  readonly title?: string;
}

/** A key that expires within this time (ms) gets a warning. */
const SOON = 30 * 86_400_000;

/** The badges of a key, the worst first. */
function badgesOf(key: ListedKey, now: number): readonly Badge[] {
  const { enabled, expires, ratelimits, recoverable, refill, remaining } = key;
  const badges: (Badge | false)[] = [
    !enabled && { kind: "bad", text: "disabled" },
    // At the very millisecond of `expires`, a key is still valid.
    expires !== undefined && {
      kind: now > expires ? "bad" : expires <= now + SOON ? "warn" : "calm",
      text: `${now > expires ? "expired" : "expires"} ${toRelative(expires, now)}`,
      title: `${toUtc(expires)} UTC`,
    },
    remaining !== undefined && remaining <= 0 && { kind: "bad", text: "used up" },
    ...ratelimits.map(({ autoApply, duration, limit, name }) => ({
      kind: "calm" as const,
      text: `limit ${name && `${name} `}${toRate(limit, duration)}`,
      title: `autoApply: ${autoApply}`,
    })),
    refill !== undefined && {
      kind: "calm",
      text: `refilled ${refill.interval} to ${refill.amount.toLocaleString("en")}`,
      ...(refill.refillDay !== undefined && { title: `on day ${refill.refillDay}` }),
    },
    recoverable === true && { kind: "calm", text: "recoverable" },
  ];
  return badges.filter((badge) => badge !== false);
}

export function Badges({ of, now }: { readonly of: ListedKey; readonly now: number }) {
  return (
    <span class="badges">
      {badgesOf(of, now).map(({ kind, text, title }) => (
        // A rate limit has a name of any characters, like those that are written from right to left.
        <bdi key={text} class={`badge ${kind}`} title={title}>
          {text}
        </bdi>
      ))}
    </span>
  );
}

interface LimitBadgeProps {
  readonly of: {
    readonly name: string;
    readonly limit: number;
    readonly duration: number;
    readonly autoApply: boolean;
  };
}

/** A rate limit of an identity. */
export function LimitBadge({ of: { autoApply, duration, limit, name } }: LimitBadgeProps) {
  return (
    <bdi class="badge calm" title={`autoApply: ${autoApply}`}>
      {name} {toRate(limit, duration)}
    </bdi>
  );
}

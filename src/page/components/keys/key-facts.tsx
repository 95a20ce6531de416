import type { ComponentChildren } from "preact";
import { customerOf, type ListedKey } from "../../data/listed-key.ts";
import { nextRefill } from "../../../state/limits/refill.ts";
import { toRelative, toUtc } from "../../data/time.ts";

interface KeyFactsProps {
  readonly of: ListedKey;
  readonly now: number;
  /** Further terms. */
  readonly children: ComponentChildren;
}

/** What a person asks about a key: who has it, what it may do, how long, and how often. */
export function KeyFacts({ children, now, of: key }: KeyFactsProps) {
  const { createdAt, expires, lastUsedAt, ownerId, permissions, refill, remaining, roles } = key;
  const { plan } = key.identity?.meta ?? {};
  const externalId = key.identity?.externalId ?? ownerId;
  const next = refill && remaining !== undefined ? nextRefill(refill, now) : undefined;
  const customer = [customerOf(key), externalId].filter((text) => text !== undefined).join(", ");
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ["customer", customer && <bdi>{customer}</bdi>],
    ["plan", typeof plan === "string" && <bdi>{plan}</bdi>],
    ["roles", roles.length > 0 && <bdi>{roles.join(", ")}</bdi>],
    ["permissions", permissions.length > 0 && <bdi>{permissions.join(", ")}</bdi>],
    ["created", timeIn(createdAt, now)],
    ["last used", timeIn(lastUsedAt, now)],
    ["expires", timeIn(expires, now)],
    ["uses", remaining !== undefined && <Uses remaining={remaining} full={refill?.amount} />],
    ["next refill", timeIn(next, now)],
  ];
  return (
    <dl class="facts">
      {facts.map(
        ([term, fact]) =>
          fact !== undefined &&
          fact !== "" &&
          fact !== false && (
            <>
              <dt>{term}</dt>
              <dd>{fact}</dd>
            </>
          ),
      )}
      {children}
    </dl>
  );
}

function timeIn(time: number | undefined, now: number): ComponentChildren {
  if (time === undefined) return undefined;
  const [utc, relative] = [toUtc(time), toRelative(time, now)];
  return (
    <>
      <time>{utc}</time> UTC{!utc.startsWith(relative) && `, ${relative}`}
    </>
  );
}

interface UsesProps {
  readonly remaining: number;
  /** The uses after a refill; undefined if there is none, so that a bar would have no end. */
  readonly full: number | undefined;
}

function Uses({ full, remaining }: UsesProps) {
  const count = remaining.toLocaleString("en");
  if (full === undefined) return <>{count} uses left</>;
  return (
    <>
      <meter aria-label="uses left" max={Math.max(full, remaining)} value={remaining} /> {count} of{" "}
      {full.toLocaleString("en")} left
    </>
  );
}

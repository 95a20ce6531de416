import type { ComponentChildren } from "preact";
import type { ListedKey } from "../../data/interfaces.ts";
import { nextRefill } from "../../../usage/refill.ts";
import { toRate, toRelative, toUtc } from "../../data/time.ts";

interface KeyFactsProps {
  readonly of: ListedKey;
  readonly now: number;
}

/** The name of the customer that has the key, which is in the meta of its identity. */
export function customerOf({ identity }: ListedKey): string | undefined {
  const name = identity?.meta?.["name"];
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** What a person asks about a key: who has it, what it may do, how long, and how often. */
export function KeyFacts({ now, of: key }: KeyFactsProps) {
  const { createdAt, expires, externalId, lastUsedAt, ratelimits, refill, remaining, roles } = key;
  const { plan } = key.identity?.meta ?? {};
  const next = refill && remaining !== undefined ? nextRefill(refill, now) : undefined;
  const customer = [customerOf(key), externalId].filter((text) => text !== undefined).join(", ");
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ["customer", customer && <bdi>{customer}</bdi>],
    ["plan", typeof plan === "string" && <bdi>{plan}</bdi>],
    ["roles", roles !== undefined && roles.length > 0 && <bdi>{roles.join(", ")}</bdi>],
    ["created", timeIn(createdAt, now)],
    ["last used", timeIn(lastUsedAt, now)],
    ["expires", timeIn(expires, now)],
    ["uses", remaining !== undefined && <Uses remaining={remaining} full={refill?.amount} />],
    ["next refill", timeIn(next, now)],
    ["limits", ratelimits.length > 0 && <bdi>{ratelimits.map(toLimit).join(", ")}</bdi>],
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

function toLimit({ duration, limit, name }: ListedKey["ratelimits"][number]): string {
  return [name, toRate(limit, duration)].join(" ").trim();
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

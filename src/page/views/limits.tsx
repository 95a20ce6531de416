import { toRate } from "../../base/wording/amounts.ts";
import { pluralize } from "../../base/wording/text.ts";
import type { RatelimitNamespace } from "../../state/limits/namespaces.ts";
import { useLive, usePage } from "../data/page-context.ts";
import { hashOf } from "../data/place.ts";
import { recentLimits, type RecentLimit } from "../data/recent-limits.ts";
import { toRelative } from "../data/time.ts";
import { Meter } from "./parts.tsx";
import { Reading, View } from "./view.tsx";

interface Namespaces {
  readonly ratelimitNamespaces: readonly RatelimitNamespace[];
}

/** How many limits are shown. */
const SHOWN = 50;

/** The limits that were used last, and the overrides of each namespace. */
export function Limits() {
  const { now, world } = usePage();
  const { answer, lines } = useLive<Namespaces>("/ratelimitNamespaces?limit=1000");
  const limits = recentLimits(world.requests, now).slice(0, SHOWN);
  return (
    <View title="Limits" lines={lines} link={["ratelimit.limit", "Count a use"]}>
      <Reading>
        <h2>Used last, the least left first</h2>
        {limits.length === 0 ? (
          <p class="soft">
            No call has used a limit yet. Limits of keys count when keys are verified.
          </p>
        ) : (
          <ul class="cards">
            {limits.map((limit) => (
              <Limit key={limit.id} of={limit} />
            ))}
          </ul>
        )}
        <h2>Namespaces</h2>
        {answer?.ratelimitNamespaces.length === 0 && (
          <p class="soft">No namespaces yet. The first call of ratelimit.limit makes one.</p>
        )}
        {answer?.ratelimitNamespaces.map((namespace) => (
          <Namespace key={namespace.id} of={namespace} />
        ))}
      </Reading>
    </View>
  );
}

function Limit({ of: limit }: { readonly of: RecentLimit }) {
  const { now, place } = usePage();
  const { duration, isRefused, keyId, limit: most, remaining, requestId, reset, who } = limit;
  const rate = duration === undefined ? most.toLocaleString("en") : toRate(most, duration);
  const name = keyId === undefined ? `in ${limit.of}` : "key";
  return (
    <li>
      <span>
        <b>
          <bdi>{who}</bdi>
        </b>{" "}
        <span class="soft">
          {name}
          {keyId !== undefined && limit.of !== "default" && `, limit ${limit.of}`}
        </span>
      </span>
      <span>
        <Meter label={`Left for ${who}`} value={remaining} max={most} />
        {`${remaining.toLocaleString("en")} of ${rate} ${reset > now ? "left" : "were left"}`}
        {isRefused && <b class="bad">, refused</b>}
      </span>
      <span class="soft">
        {reset > now ? `full again ${toRelative(reset, now)}` : "the window is over"}
      </span>
      <span>
        <a href={hashOf(place, { request: requestId })}>Last call</a>
        {keyId !== undefined && (
          <>
            {" "}
            <a href={hashOf(place, { view: "keys", open: keyId })}>Key</a>
          </>
        )}
      </span>
    </li>
  );
}

function Namespace({ of: { deleted, id, name, overrides } }: { readonly of: RatelimitNamespace }) {
  return (
    <section class="card" aria-label={name}>
      <h3>
        <bdi>{name}</bdi> <code class="soft">{id}</code>
        {deleted && <span class="badge off">deleted</span>}
      </h3>
      <p class="soft">
        {overrides.length === 0
          ? "No overrides: each call sends its limit."
          : `${pluralize(overrides.length, "override")}, in place of the limits that calls send:`}
      </p>
      <ul class="lines">
        {overrides.map(({ duration, id: overrideId, identifier, limit }) => (
          <li key={overrideId}>
            <bdi>{identifier}</bdi>
            <span>{limit === 0 ? "refuses every call" : toRate(limit, duration)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

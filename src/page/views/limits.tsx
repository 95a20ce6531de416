import { toRate } from "../../base/wording/amounts.ts";
import { pluralize } from "../../base/wording/text.ts";
import type { UsedLimit } from "../../control/route-schemas.ts";
import type { RatelimitNamespace } from "../../state/records/namespaces.ts";
import { useLive, usePage } from "../data/page-context.ts";
import { hashOf } from "../data/place.ts";
import { toRelative, toUtc } from "../data/time.ts";
import { Meter, Name } from "./parts.tsx";
import { Reading, View } from "./view.tsx";

/** How many limits are shown. */
const SHOWN = 50;

/** The limits that were used last, and the overrides of each namespace. */
export function Limits() {
  const { now } = usePage();
  const { answer, lines } = useLive<{ ratelimitNamespaces: readonly RatelimitNamespace[] }>(
    "/ratelimitNamespaces?limit=1000",
  );
  // Read again as time passes, because uses stop counting.
  const used = useLive<{ limits: readonly UsedLimit[] }>("/used-limits", now).answer;
  const limits = used?.limits.slice(0, SHOWN);
  return (
    <View title="Limits" lines={lines} link="ratelimit.limit">
      <Reading>
        <h2>Used last, the least left first</h2>
        {limits?.length === 0 && (
          <p class="soft">
            No recorded call has used a limit. Limits of keys count when keys are verified.
          </p>
        )}
        <ul class="cards">
          {limits?.map((limit) => (
            <Limit key={`${limit.keyId ?? limit.who}\n${limit.of}`} of={limit} />
          ))}
        </ul>
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

function Limit({ of: used }: { readonly of: UsedLimit }) {
  const { now, place } = usePage();
  const { duration, full, isRefused, keyId, limit, of, remaining, requestId, who } = used;
  return (
    <li>
      <span>
        <b>
          <Name of={who} />
        </b>{" "}
        <span class="soft">
          {keyId === undefined ? "in " : of === "default" ? "key" : "key, limit "}
          {(keyId === undefined || of !== "default") && <Name of={of} />}
        </span>
      </span>
      <span>
        <Meter label={`Left for ${who}`} value={remaining} max={limit} />
        {`${remaining.toLocaleString("en")} of ${toRate(limit, duration)} left`}
        {isRefused && <b class="bad">, the last call refused</b>}
      </span>
      <span class="soft" title={full === undefined ? "" : `at the latest at ${toUtc(full)} UTC`}>
        {full === undefined ? "nothing used" : `full again ${toRelative(full, now)}`}
      </span>
      <span>
        <a href={hashOf(place, { request: requestId })}>Last call</a>{" "}
        {keyId !== undefined && <a href={hashOf(place, { view: "keys", open: keyId })}>Key</a>}
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
            <Name of={identifier} />
            <span>{limit === 0 ? "refuses every call" : toRate(limit, duration)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

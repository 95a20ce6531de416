import { toRate, toSpan } from "../../base/wording/amounts.ts";
import { useEffect } from "preact/hooks";
import type { IdentityState, KeyState } from "../../control/record-kinds.ts";
import type { KeyLimits } from "../../control/route-schemas.ts";
import type { Usage } from "../../state/usage/usage.ts";
import type { Role } from "../../state/records/roles.ts";
import { callName, describe } from "../data/call-words.ts";
import { toCurl } from "../data/curl.ts";
import { customerName, refillOf, statusOf, titleOf, usesOf } from "../data/key-words.ts";
import { useLive, usePage } from "../data/page-context.ts";
import { hashOf, replacePlace } from "../data/place.ts";
import { toClock, toRelative, toUtc } from "../data/time.ts";
import { useRoute } from "../data/use-route.ts";
import { Chart } from "./chart.tsx";
import { Drawer } from "./drawer.tsx";
import { KeyActs, KeyValue } from "./key-acts.tsx";
import { Copy, Fact, Json, MetaFact, Meter } from "./parts.tsx";

interface KeyProps {
  readonly keyId: string;
  /** The API whose keys are listed. */
  readonly apiId: string | undefined;
}

/** A key: its facts, its customer, its permissions, its limits and its last calls. */
export function Key({ apiId, keyId }: KeyProps) {
  const { client, now, place } = usePage();
  const { answer: key, isLoading, lines } = useLive<KeyState>(`/keys/${encodeURIComponent(keyId)}`);
  useEffect(() => {
    if (key !== undefined && key.apiId !== apiId) {
      replacePlace(place, { view: "keys", apiId: key.apiId, open: keyId });
    }
  }, [key?.apiId]);
  if (key === undefined) {
    if (isLoading) return null;
    const isGone = lines.some((line) => line.includes("there is no key"));
    return (
      <Drawer
        title={isGone ? "This key is gone" : "The key cannot be shown"}
        sub={<code>{keyId}</code>}
      >
        <p>{isGone ? "It was deleted, or the emulator was reset." : lines.join("; ")}</p>
      </Drawer>
    );
  }
  const status = statusOf(key, now);
  const change = { view: "call", operation: "keys.updateKey", open: keyId } as const;
  const sub = (
    <p class="soft">
      <code>{key.id}</code> <Copy text={key.id} label="Copy the id" />
      <span class={`badge ${status.tone}`}>{status.word}</span>
    </p>
  );
  return (
    <Drawer title={titleOf(key)} sub={sub}>
      <KeyActs of={key} />
      <Facts of={key} />
      <KeyUsage of={key} />
      <LastCalls keyId={keyId} />
      <details>
        <summary>Record as JSON</summary>
        <Json label="The key" value={key} />
      </details>
      <p class="acts">
        <Copy text={toCurl(client, "/v2/keys.getKey", { keyId })} what="Copy as curl" />
        <a href={hashOf(place, change)}>Change anything else</a>
      </p>
    </Drawer>
  );
}

function Facts({ of: key }: { readonly of: KeyState }) {
  const { now } = usePage();
  const { createdAt, environment, expires, lastUsedAt, remaining, replacedBy, replaces } = key;
  const refill = refillOf(key);
  const when = (time: number) => {
    const [relative, exact] = [toRelative(time, now), toUtc(time)];
    return (
      <>
        {!exact.startsWith(relative) && relative} <span class="soft">{exact}</span>
      </>
    );
  };
  return (
    <dl class="facts">
      <Customer of={key} />
      <Allowed of={key} />
      <Fact name="Uses">
        {remaining === undefined ? "unlimited" : `${usesOf(key)} left`}
        {refill !== undefined && `, ${refill}`}
        {remaining !== undefined && key.refill !== undefined && (
          <Meter
            label="Uses left"
            value={Math.min(remaining, key.refill.amount)}
            max={key.refill.amount}
          />
        )}
      </Fact>
      <Limits of={key} />
      <Fact name="Expires">{expires === undefined ? "never" : when(expires)}</Fact>
      <Fact name="Last used">{lastUsedAt === undefined ? "never" : when(lastUsedAt)}</Fact>
      <Fact name="Created">{when(createdAt)}</Fact>
      {replaces && (
        <Fact name="Replaces">
          <OtherKey keyId={replaces} />
        </Fact>
      )}
      {replacedBy && (
        <Fact name="Replaced by">
          <OtherKey keyId={replacedBy} />
        </Fact>
      )}
      {environment !== undefined && <Fact name="Environment">{environment}</Fact>}
      <MetaFact meta={key.meta} />
      <KeyValue of={key} />
    </dl>
  );
}

function Customer({ of: { identityId, ownerId } }: { readonly of: KeyState }) {
  const { place } = usePage();
  const { answer } = useLive<IdentityState>(
    identityId && `/identities/${encodeURIComponent(identityId)}`,
  );
  if (ownerId === undefined) return <Fact name="Customer">none</Fact>;
  if (answer === undefined) return <Fact name="Customer">{ownerId}</Fact>;
  const name = customerName(answer);
  return (
    <Fact name="Customer">
      <a href={hashOf(place, { view: "customers", open: answer.id })}>
        <bdi>{name}</bdi>
      </a>{" "}
      {name !== ownerId && <code class="soft">{ownerId}</code>}
    </Fact>
  );
}

/** The permissions of a key, by the roles that they come from. */
function Allowed({ of: { permissions, roles } }: { readonly of: KeyState }) {
  const { answer } = useLive<{ roles: readonly Role[] }>(
    roles.length === 0 ? undefined : "/roles?limit=1000",
  );
  if (roles.length + permissions.length === 0) return <Fact name="May">nothing special</Fact>;
  return (
    <Fact name="May">
      {roles.map((name) => {
        const { permissions: ofRole = [] } = answer?.roles.find((role) => role.name === name) ?? {};
        return (
          <div key={name}>
            <bdi>{name}</bdi>
            {ofRole.length > 0 && ": "}
            <code>{ofRole.join(", ")}</code>
          </div>
        );
      })}
      {permissions.length > 0 && <code>{permissions.join(", ")}</code>}
    </Fact>
  );
}

function Limits({ of: { id } }: { readonly of: KeyState }) {
  const { now } = usePage();
  // Read again as time passes, because uses stop counting.
  const { answer } = useLive<KeyLimits>(`/key-limits/${encodeURIComponent(id)}`, now);
  return answer?.limits.map(({ autoApply, duration, limit, name, remaining, reset }) => (
    <Fact key={name} name={name === "default" ? "Limit" : `Limit ${name}`}>
      {`${remaining.toLocaleString("en")} of ${toRate(limit, duration)} left`}
      {remaining < limit &&
        reset > now &&
        `, ${toSpan(Math.ceil((reset - now) / 1_000) * 1_000)} to go`}
      {!autoApply && <span class="soft"> only where a call names it</span>}
      <Meter label={`Left of ${name}`} value={remaining} max={limit} />
    </Fact>
  ));
}

function OtherKey({ keyId }: Pick<KeyProps, "keyId">) {
  const { now, place } = usePage();
  const { answer, isLoading } = useLive<KeyState>(`/keys/${encodeURIComponent(keyId)}`);
  if (answer === undefined) return <code>{isLoading ? keyId : `${keyId}, which is gone`}</code>;
  return (
    <>
      <a href={hashOf(place, { open: keyId })}>
        <bdi>{titleOf(answer)}</bdi>
      </a>{" "}
      <span class="soft">{`${answer.start}…, ${statusOf(answer, now).word}`}</span>
    </>
  );
}

/** Read again after each record of the key, so that it is not asked for a key that was just deleted. */
function KeyUsage({ of: key }: { readonly of: KeyState }) {
  const { client } = usePage();
  const { answer } = useRoute<Usage>(
    client,
    `/usage?${new URLSearchParams({ keyId: key.id })}`,
    key,
  );
  return answer === undefined ? null : <Chart usage={answer} />;
}

/** How many calls are shown. */
const SHOWN = 5;

function LastCalls({ keyId }: Pick<KeyProps, "keyId">) {
  const { place, world } = usePage();
  const calls = world.requests
    .toReversed()
    .map((request) => ({ request, words: describe(request) }))
    .filter(({ words }) => words.keyId === keyId)
    .slice(0, SHOWN);
  if (calls.length === 0) return <p class="soft">No recorded call used this key.</p>;
  return (
    <section aria-label="Last calls">
      <h3>Last calls</h3>
      <ul class="lines">
        {calls.map(({ request, words }) => (
          <li key={request.requestId}>
            <time class="mono soft">{toClock(request.time)}</time>
            <a href={hashOf(place, { request: request.requestId })}>
              {words.kind === "bad" ? <b class="bad">{`refused: ${words.words}`}</b> : words.words}
            </a>
            <span class="soft">{callName(request).replace(/^keys\./, "")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

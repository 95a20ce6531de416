import { pluralize } from "../../base/wording/text.ts";
import type { Finding } from "../../world/findings/findings.ts";
import type { TokenNeeds } from "../../world/journal/needed-permissions.ts";
import { useLive, usePage } from "../data/page-context.ts";
import { hashOf } from "../data/place.ts";
import { tokenWords } from "../data/token.ts";
import { Ask, Copy, Refusal } from "./parts.tsx";
import { Reading, View } from "./view.tsx";

/** Mistakes of clients, the newest first, and the permissions that each token needs. */
export function Findings() {
  const { client, world } = usePage();
  const { findings, workspace } = world;
  return (
    <View
      title="Findings"
      bar={
        workspace.mayControl && (
          <Ask
            button="Forget them"
            text={`Forget ${pluralize(findings.length, "finding")}?`}
            answers={[["Forget all findings", () => client.control("DELETE /findings")]]}
            isDangerous
            isIdle={findings.length === 0}
          />
        )
      }
    >
      <Reading>
        <h2>Mistakes of clients</h2>
        <p class="soft">
          Mistakes in how clients call the service. They are certain, also where every reply was a
          200.
        </p>
        {findings.length === 0 && <p>No mistakes recorded.</p>}
        {findings.toReversed().map((finding, index) => (
          <One key={findings.length - index} of={finding} />
        ))}
        {workspace.mayControl && <Needs />}
      </Reading>
    </View>
  );
}

/** How many calls of a finding are named. */
const SHOWN = 5;

function One({ of: { advice, requests, rule, why } }: { readonly of: Finding }) {
  const { place, world } = usePage();
  const known = requests.filter((id) => world.requests.some(({ requestId }) => requestId === id));
  return (
    <section class="card" aria-label={rule}>
      <h3 class="sentence">{rule.replaceAll("-", " ")}</h3>
      <p>{why}</p>
      <p class="advice">{advice}</p>
      <p class="soft">
        {pluralize(requests.length, "call")}
        {known.slice(-SHOWN).map((requestId) => (
          <span key={requestId}>
            {" "}
            <a href={hashOf(place, { request: requestId })}>
              <code>{requestId}</code>
            </a>
          </span>
        ))}
        {known.length === 0 && ", not recorded any more"}
      </p>
    </section>
  );
}

function Needs() {
  const { answer, lines } = useLive<{ tokens: readonly TokenNeeds[] }>("/needed-permissions");
  return (
    <>
      <h2>Permissions needed</h2>
      <p class="soft">With these and no others, every call of a token passes as it did.</p>
      <Refusal lines={lines} />
      {answer?.tokens.length === 0 && <p>No call has needed a permission yet.</p>}
      {answer?.tokens.map((needs) => (
        <OfToken key={needs.token} of={needs} />
      ))}
    </>
  );
}

function OfToken({ of: { permissions, refused, token, unused } }: { readonly of: TokenNeeds }) {
  return (
    <section class="card" aria-label={tokenWords(token)}>
      <h3 class="sentence">{tokenWords(token)}</h3>
      <p class="tags">
        needs{" "}
        {permissions.map((name) => (
          <code key={name}>{name}</code>
        ))}
        {permissions.length === 0 ? (
          "nothing"
        ) : (
          <Copy text={JSON.stringify(permissions)} what="Copy as a list" />
        )}
      </p>
      {unused.length > 0 && (
        <p class="tags">
          does not need{" "}
          {unused.map((name) => (
            <code key={name}>{name}</code>
          ))}
        </p>
      )}
      {refused.map(({ calls, operation, permission }) => (
        <p key={operation + permission}>
          {operation} was refused {calls === 1 ? "once" : `${calls} times`}: it needs{" "}
          <code>{permission}</code>
        </p>
      ))}
    </section>
  );
}

import { useState } from "preact/hooks";
import { pluralize } from "../../base/wording/text.ts";
import type { IdentityState, KeyState } from "../../control/record-kinds.ts";
import type { Usage } from "../../state/usage/usage.ts";
import { customerName, statusOf, titleOf } from "../data/key-words.ts";
import { useLive, usePage } from "../data/page-context.ts";
import { hashOf } from "../data/place.ts";
import { toRate } from "../../base/wording/amounts.ts";
import { Chart } from "./chart.tsx";
import { Drawer } from "./drawer.tsx";
import { Fact, Json, MetaFact, Name } from "./parts.tsx";
import { Opener, Sorted, Table } from "./table.tsx";
import { View } from "./view.tsx";

const [STEP, MOST] = [100, 1_000];

/** The owners of keys: the identities, by the names in their `meta`. */
export function Customers() {
  const { place } = usePage();
  const [limit, setLimit] = useState(STEP);
  const [isUp, setUp] = useState(true);
  const search = place.search === "" ? "" : `&${new URLSearchParams({ search: place.search })}`;
  const { answer, lines } = useLive<{ identities: readonly IdentityState[]; total: number }>(
    `/identities?limit=${limit}&sort=${isUp ? "name" : "-name"}${search}`,
  );
  const used = useLive<Usage>("/usage?by=externalId&limit=1000").answer?.groups ?? [];
  const uses = new Map(used.map((group) => [group.externalId, group]));
  const { identities = [], total = 0 } = answer ?? {};
  const foot =
    identities.length === total
      ? pluralize(total, "customer")
      : `${identities.length} of ${pluralize(total, "customer")}. Search to find the others.`;
  return (
    <>
      <View title="Customers" lines={lines} search={["customers", "Name, id"]}>
        {answer !== undefined && total === 0 ? (
          <p class="empty">
            {place.search === ""
              ? "No customers yet. A key that is created with an externalId makes one."
              : "No customer matches."}
          </p>
        ) : (
          <Table
            label="Customers"
            head={
              <>
                <Sorted
                  isOn
                  isUp={isUp}
                  title={isUp ? "Z to A" : "A to Z"}
                  onSort={() => setUp(!isUp)}
                >
                  Customer
                </Sorted>
                <th>Plan</th>
                <th class="number">Keys used in 30 days</th>
                <th class="number">Uses in 30 days</th>
              </>
            }
            ids={identities.map(({ id }) => id)}
            foot={answer && foot}
            onEnd={() => limit < Math.min(MOST, total) && setLimit(limit + STEP)}
          >
            {(active) =>
              identities.map((identity) => {
                const { externalId, id, meta } = identity;
                const group = uses.get(externalId);
                return (
                  <tr key={id} class={id === place.open ? "open" : ""}>
                    <Opener
                      of={id}
                      name={customerName(identity)}
                      sub={customerName(identity) === externalId ? id : externalId}
                      active={active}
                    />
                    <td class="of-plan">
                      {typeof meta?.["plan"] === "string" && <Name of={meta["plan"]} />}
                    </td>
                    <td class="number" data-unit="keys used in 30 days">
                      {group?.keys ?? 0}
                    </td>
                    <td class="number">{(group?.total ?? 0).toLocaleString("en")}</td>
                  </tr>
                );
              })
            }
          </Table>
        )}
      </View>
      {place.open !== undefined && <Customer key={place.open} id={place.open} />}
    </>
  );
}

/** A customer with its keys, the newest first. */
function Customer({ id }: { readonly id: string }) {
  const { answer, isLoading } = useLive<IdentityState>(`/identities/${encodeURIComponent(id)}`);
  if (answer === undefined) {
    return isLoading ? null : (
      <Drawer title="This customer is gone">
        <p>It was deleted, or the emulator was reset.</p>
      </Drawer>
    );
  }
  const { externalId, meta, ratelimits = [] } = answer;
  return (
    <Drawer title={customerName(answer)} sub={<code>{externalId}</code>}>
      <dl class="facts">
        <Fact name="Id">
          <code>{id}</code>
        </Fact>
        {ratelimits.map(({ duration, limit, name }) => (
          <Fact key={name} name={`Limit ${name}`}>
            {toRate(limit, duration)}
          </Fact>
        ))}
        <MetaFact meta={meta} />
      </dl>
      <KeysOf externalId={externalId} />
      <details>
        <summary>Record as JSON</summary>
        <Json label="The customer" value={answer} />
      </details>
    </Drawer>
  );
}

function KeysOf({ externalId }: Pick<IdentityState, "externalId">) {
  const { now, place } = usePage();
  const query = new URLSearchParams({ externalId, sort: "-createdAt", limit: "20" });
  const { answer } = useLive<{ keys: readonly KeyState[]; total: number }>(`/keys?${query}`);
  const usage = useLive<Usage>(
    answer?.total ? `/usage?${new URLSearchParams({ externalId })}` : undefined,
  );
  if (answer === undefined) return null;
  const { keys, total } = answer;
  return (
    <section aria-label="Keys">
      {usage.answer && <Chart usage={usage.answer} />}
      <h3>{total === 0 ? "No keys" : pluralize(total, "key")}</h3>
      <ul class="lines">
        {keys.map((key) => {
          const { apiId, id } = key;
          const status = statusOf(key, now);
          return (
            <li key={id}>
              <a href={hashOf(place, { view: "keys", apiId, open: id })}>
                <Name of={titleOf(key)} />
              </a>
              <span class="soft">
                <Name of={apiId} />
              </span>
              <span class={`badge ${status.tone}`}>{status.word}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

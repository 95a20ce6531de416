import { useMemo } from "preact/hooks";
import type { IdentityState, KeyState } from "../../control/record-kinds.ts";
import {
  customerName,
  refillOf,
  statusOf,
  titleOf,
  usesOf,
  type KeyList,
} from "../data/key-words.ts";
import { usePage } from "../data/page-context.ts";
import { keyOrders, replacePlace, type KeyOrder } from "../data/place.ts";
import { toRelative, toUtc } from "../data/time.ts";
import { Spark } from "./chart.tsx";
import { Name } from "./parts.tsx";
import { Opener, Sorted, Table } from "./table.tsx";

interface KeyTableProps {
  /** Undefined until it is loaded. */
  readonly list: KeyList | undefined;
  readonly foot: string | undefined;
  readonly onEnd: () => void;
}

/** Keys as a table. */
export function KeyTable({ foot, list, onEnd }: KeyTableProps) {
  const { now, place } = usePage();
  const { identities = [], keys = [], usage = [] } = list ?? {};
  const byId = useMemo(() => new Map(identities.map((each) => [each.id, each])), [identities]);
  const ids = useMemo(() => keys.map(({ id }) => id), [keys]);
  if (list === undefined) return <p class="empty">Loading the keys…</p>;
  // Relative times change by the minute, and the state of a key when it expires.
  const gone = keys.filter(({ expires = Infinity }) => expires < now).length;
  const moment = `${Math.floor(now / 60_000)} ${gone}`;
  // A second press goes back to the newest first.
  const sorted = (order: KeyOrder, name: string, words: string) => {
    const isOn = place.sort === order;
    const next = isOn ? "-createdAt" : order;
    return (
      <Sorted
        name={name}
        isOn={isOn}
        isUp={!order.startsWith("-")}
        title={keyOrders[next]}
        onSort={() => replacePlace(place, { sort: next })}
      >
        {words}
      </Sorted>
    );
  };
  const head = (
    <>
      <th>Key, {keyOrders[place.sort]}</th>
      <th class="of-customer">Customer</th>
      <th>Status</th>
      <th class="number">Uses left</th>
      {sorted("nextExpiry", "of-expiry", "Expires")}
      {sorted("-lastUsedAt", "of-use", "Last used")}
      <th class="of-spark">30 days</th>
    </>
  );
  return (
    <Table label="Keys" head={head} ids={ids} foot={foot} onEnd={onEnd}>
      {(active) => (
        <Rows
          keys={keys}
          byId={byId}
          usage={usage}
          active={active}
          moment={moment}
          now={now}
          key={place.apiId}
        />
      )}
    </Table>
  );
}

interface RowsProps extends Pick<KeyList, "keys" | "usage"> {
  readonly byId: ReadonlyMap<string, IdentityState>;
  readonly active: string | undefined;
  /** Changes when the relative times or the states in the rows change. */
  readonly moment: string;
  readonly now: number;
}

function Rows({ active, byId, keys, moment, now, usage }: RowsProps) {
  const { place } = usePage();
  // Rendered again only for a change, because there may be a thousand rows.
  return useMemo(
    () =>
      keys.map((key, index) => (
        <Row
          key={key.id}
          of={key}
          customer={byId.get(key.identityId ?? "")}
          days={usage[index] ?? []}
          active={active}
          isOpen={key.id === place.open}
          now={now}
        />
      )),
    [keys, byId, usage, active, place, moment],
  ) as unknown as preact.JSX.Element;
}

interface RowProps extends Pick<RowsProps, "active" | "now"> {
  readonly of: KeyState;
  readonly customer: IdentityState | undefined;
  readonly days: readonly number[];
  readonly isOpen: boolean;
}

function Row({ active, customer, days, isOpen, now, of: key }: RowProps) {
  const { expires, id, lastUsedAt, ownerId, remaining, start } = key;
  const status = statusOf(key, now);
  const when = (name: string, time: number | undefined) =>
    time === undefined ? (
      <td class={`${name} soft`}>never</td>
    ) : (
      <td class={name}>
        <time title={`${toUtc(time)} UTC`}>{toRelative(time, now)}</time>
      </td>
    );
  return (
    <tr class={isOpen ? "open" : ""}>
      <Opener
        of={id}
        name={titleOf(key)}
        sub={start === "" ? "value not known" : `${start}…`}
        active={active}
      />
      <td class="of-customer">
        <Name of={customer === undefined ? ownerId : customerName(customer)} />
        {customer && customerName(customer) !== ownerId && (
          <code class="may-cut" title={ownerId}>
            {ownerId}
          </code>
        )}
      </td>
      <td class="of-status">
        <span class={`badge ${status.tone}`}>{status.word}</span>
      </td>
      <td
        class={remaining === undefined ? "number soft" : "number"}
        title={refillOf(key)}
        data-unit="uses"
      >
        {usesOf(key)}
      </td>
      {when("of-expiry", expires)}
      {when("of-use", lastUsedAt)}
      <td class="of-spark">
        <Spark days={days} />
      </td>
    </tr>
  );
}

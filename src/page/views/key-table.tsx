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
import { hashOf, keyOrders, replacePlace, type KeyOrder } from "../data/place.ts";
import { toRelative, toUtc } from "../data/time.ts";
import { Spark } from "./chart.tsx";
import { openerId } from "./drawer.tsx";
import { Arrow } from "./menu.tsx";
import { Table } from "./table.tsx";

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
  const ids = useMemo(() => keys.map(({ id }) => openerId(id)), [keys]);
  if (list === undefined) return <p class="empty late">Loading the keys…</p>;
  // Relative times change by the minute, and the state of a key when it expires.
  const gone = keys.filter(({ expires = Infinity }) => expires < now).length;
  const moment = `${Math.floor(now / 60_000)} ${gone}`;
  const head = (
    <>
      <th>Key, {keyOrders[place.sort]}</th>
      <th class="of-customer">Customer</th>
      <th>Status</th>
      <th class="number">Uses left</th>
      <Sorted order="expires" name="of-expiry">
        Expires
      </Sorted>
      <Sorted order="-lastUsedAt" name="of-use">
        Last used
      </Sorted>
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

interface SortedProps {
  readonly order: KeyOrder;
  readonly children: string;
  readonly name?: string;
}

/** A head that sorts by its column, and goes back to the newest first. */
function Sorted({ children, name, order }: SortedProps) {
  const { place } = usePage();
  const isOn = place.sort === order;
  const direction = order.startsWith("-") ? "descending" : "ascending";
  return (
    <th class={name} aria-sort={isOn ? direction : "none"}>
      <button
        type="button"
        title={isOn ? keyOrders["-createdAt"] : keyOrders[order]}
        onClick={() => replacePlace(place, { sort: isOn ? "-createdAt" : order })}
      >
        {children} <Arrow isUp={order === "expires"} />
      </button>
    </th>
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
  // Made anew only for a change, because there may be a thousand of them.
  return useMemo(
    () =>
      keys.map((key, index) => (
        <Row
          key={key.id}
          of={key}
          customer={byId.get(key.identityId ?? "")}
          days={usage[index] ?? []}
          isActive={openerId(key.id) === active}
          isOpen={key.id === place.open}
          href={hashOf(place, { open: key.id })}
          now={now}
        />
      )),
    [keys, byId, usage, active, place, moment],
  ) as unknown as preact.JSX.Element;
}

interface RowProps {
  readonly of: KeyState;
  readonly customer: IdentityState | undefined;
  readonly days: readonly number[];
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly href: string;
  readonly now: number;
}

function Row({ customer, days, href, isActive, isOpen, now, of: key }: RowProps) {
  const { expires, id, lastUsedAt, ownerId, remaining, start } = key;
  const status = statusOf(key, now);
  return (
    <tr class={isOpen ? "open" : ""}>
      <td>
        <a
          id={openerId(id)}
          href={href}
          tabIndex={isActive ? 0 : -1}
          aria-current={isOpen ? "true" : undefined}
        >
          <bdi>{titleOf(key)}</bdi>
        </a>
        <code>{start === "" ? "value not known" : `${start}…`}</code>
      </td>
      <td class="of-customer">
        <bdi>{customer === undefined ? ownerId : customerName(customer)}</bdi>
        <code>{customer && customerName(customer) !== ownerId ? ownerId : ""}</code>
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
      <td class={expires === undefined ? "of-expiry soft" : "of-expiry"}>
        {expires === undefined ? (
          "never"
        ) : (
          <time title={`${toUtc(expires)} UTC`}>{toRelative(expires, now)}</time>
        )}
      </td>
      <td class={lastUsedAt === undefined ? "of-use soft" : "of-use"}>
        {lastUsedAt === undefined ? (
          "never"
        ) : (
          <time title={`${toUtc(lastUsedAt)} UTC`}>{toRelative(lastUsedAt, now)}</time>
        )}
      </td>
      <td class="of-spark">
        <Spark days={days} />
      </td>
    </tr>
  );
}

import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { usePage } from "../data/page-context.ts";
import { hashOf } from "../data/place.ts";
import { openerId } from "./drawer.tsx";
import { Arrow } from "./menu.tsx";
import { Name } from "./parts.tsx";

interface TableProps {
  readonly label: string;
  readonly head: ComponentChildren;
  /** The ids of the keys or customers that the rows open. */
  readonly ids: readonly string[];
  /** The rows. @param active the id of the link that Tab leads to */
  readonly children: (active: string | undefined) => ComponentChildren;
  readonly foot?: ComponentChildren;
  /** Called when the user scrolls to the end of the list. */
  readonly onEnd?: () => void;
}

/**
 * A table whose rows open something. It is one step of the Tab key, and the arrow keys move in it. In a
 * narrow place it becomes a list with two lines a row.
 */
export function Table({ children, foot, head, ids, label, onEnd }: TableProps) {
  const [active, setActive] = useState<string>();
  const end = useRef<HTMLDivElement>(null);
  const atEnd = useRef(onEnd);
  atEnd.current = onEnd;
  useEffect(() => {
    const observer = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && atEnd.current?.(),
      { rootMargin: "400px" },
    );
    if (end.current) observer.observe(end.current);
    return () => observer.disconnect();
    // Again after more rows, because the end may still be visible.
  }, [ids.length]);
  const all = ids.map(openerId);
  const current = active !== undefined && all.includes(active) ? active : all[0];
  return (
    <div class="scroll">
      <table aria-label={label}>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody
          onFocusIn={({ target }) => setActive((target as HTMLElement).id)}
          onKeyDown={move}
          onClick={({ target, currentTarget }) => {
            const element = target as HTMLElement;
            if (element.closest("a, button") !== null || String(getSelection()) !== "") return;
            const row = element.closest("tr");
            if (row !== null && currentTarget.contains(row)) row.querySelector("a")?.click();
          }}
        >
          {children(current)}
        </tbody>
      </table>
      <div ref={end} class="foot">
        {foot}
      </div>
    </div>
  );
}

interface OpenerProps {
  /** The id of the key or customer that it opens. */
  readonly of: string;
  readonly name: string;
  /** A line below the name. */
  readonly sub: string;
  readonly active: string | undefined;
}

/** The first cell of a row, with the link that opens it. */
export function Opener({ active, name, of, sub }: OpenerProps) {
  const { place } = usePage();
  const id = openerId(of);
  return (
    <td>
      <a
        id={id}
        href={hashOf(place, { open: of })}
        tabIndex={id === active ? 0 : -1}
        aria-current={of === place.open ? "true" : undefined}
      >
        <Name of={name} />
      </a>
      <code class="may-cut" title={sub}>
        {sub}
      </code>
    </td>
  );
}

interface SortedProps {
  readonly children: string;
  readonly name?: string;
  /** Whether the rows are sorted by this column. */
  readonly isOn: boolean;
  readonly isUp: boolean;
  readonly title: string;
  readonly onSort: () => void;
}

/** A head that sorts by its column. */
export function Sorted({ children, isOn, isUp, name, onSort, title }: SortedProps) {
  const sort = !isOn ? "none" : isUp ? "ascending" : "descending";
  return (
    <th class={name} aria-sort={sort}>
      <button type="button" title={title} onClick={onSort}>
        {children} <Arrow isUp={isUp} />
      </button>
    </th>
  );
}

/** The rows that each key moves to. */
const moves: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowDown: (index, last) => Math.min(index + 1, last),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
};

function move(event: TargetedKeyboardEvent<HTMLElement>): void {
  const to = moves[event.key];
  if (to === undefined) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("tr > :first-child a")];
  const index = links.findIndex((link) => link === document.activeElement);
  if (index === -1) return;
  event.preventDefault();
  links[to(index, links.length - 1)]?.focus();
}

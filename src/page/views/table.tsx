import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface TableProps {
  readonly label: string;
  readonly head: ComponentChildren;
  /** The addresses of the rows, by the ids of the links that open them. */
  readonly ids: readonly string[];
  /** The rows. @param active the id of the link that Tab leads to */
  readonly children: (active: string | undefined) => ComponentChildren;
  readonly foot?: ComponentChildren;
  /** The end of the list was scrolled to. */
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
    // Again after more rows, because the end may still be in view.
  }, [ids.length]);
  const current = active !== undefined && ids.includes(active) ? active : ids[0];
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

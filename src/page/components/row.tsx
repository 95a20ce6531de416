import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

interface RowProps {
  readonly class?: string | undefined;
  /** Whether it is open at first, and scrolls into view with the focus. */
  readonly isShown?: boolean;
  /** Always visible. */
  readonly summary: ComponentChildren;
  /** Renders the details; called only while the row is open. */
  readonly children: () => ComponentChildren;
}

/** A row of a list that can be opened to show details. */
export function Row({ children, class: kind, isShown = false, summary }: RowProps) {
  const [isOpen, setOpen] = useState(isShown);
  const id = useId();
  const item = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    const { current } = item;
    if (isShown) {
      current?.querySelector("button")?.focus({ preventScroll: true });
      current?.scrollIntoView({ block: "center" });
    }
    return () => {
      // A row that disappears with the focus leaves it to its panel.
      if (current?.contains(document.activeElement)) {
        current.closest<HTMLElement>(".panel")?.focus();
      }
    };
  }, []);
  return (
    <li class={kind} ref={item}>
      <button
        type="button"
        class="row"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {summary}
      </button>
      <div id={id} hidden={!isOpen}>
        {isOpen && children()}
      </div>
    </li>
  );
}

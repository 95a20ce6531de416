import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useState } from "preact/hooks";
import { useLeftFocus } from "../data/use-left-focus.ts";

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
  const item = useLeftFocus<HTMLLIElement>();
  useLayoutEffect(() => {
    if (!isShown) return;
    item.current?.querySelector("button")?.focus({ preventScroll: true });
    item.current?.scrollIntoView({ block: "center" });
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

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

interface RowProps {
  readonly class?: string | undefined;
  /** What is seen of it all the time. */
  readonly summary: ComponentChildren;
  /** Makes the rest, for as long as it is open. */
  readonly children: () => ComponentChildren;
}

/** A line of a list, which opens to more. */
export function Row({ children, class: kind, summary }: RowProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <li class={kind}>
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

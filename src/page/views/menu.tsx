import type { ComponentChildren } from "preact";

interface MenuProps {
  readonly title: string;
  /** The content of the button. */
  readonly label: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A button of the head that opens a small panel. Escape and a click elsewhere close it. */
export function Menu({ children, label, title }: MenuProps) {
  const id = title.toLowerCase();
  return (
    <>
      <button type="button" class="chip" popovertarget={id}>
        {label} <Arrow />
      </button>
      <div class="panel" id={id} popover="auto" role="dialog" aria-label={title} tabIndex={-1}>
        <h2>{title}</h2>
        {children}
      </div>
    </>
  );
}

/** Points down, or up. */
export function Arrow({ isUp = false }: { readonly isUp?: boolean }) {
  return (
    <svg class="arrow" viewBox="0 0 12 12" aria-hidden="true">
      <path d={isUp ? "m3 7.5 3-3 3 3" : "m3 4.5 3 3 3-3"} />
    </svg>
  );
}

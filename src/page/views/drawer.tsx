import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { usePage } from "../data/page-context.ts";
import { replacePlace, type Place } from "../data/place.ts";

interface DrawerProps {
  readonly title: string;
  /** A line below the title. */
  readonly sub?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A panel beside a list. Escape closes it, and the focus goes back to the link that opened it. */
export function Drawer({ children, sub, title }: DrawerProps) {
  const { place } = usePage();
  const whole = useRef<HTMLElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    whole.current?.focus({ preventScroll: true });
  }, []);
  return (
    <aside class="drawer" ref={whole} tabIndex={-1} aria-labelledby={id}>
      <header>
        <div>
          <h2 id={id}>
            <bdi>{title}</bdi>
          </h2>
          {sub}
        </div>
        <button type="button" class="quiet" aria-label="Close" onClick={() => closeDrawer(place)}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="m4 4 8 8m0-8-8 8" />
          </svg>
        </button>
      </header>
      {children}
    </aside>
  );
}

/** The id of the element that opens a key or a customer. */
export function openerId(open: string): string {
  return `opens-${open}`;
}

export function closeDrawer(place: Place): void {
  if (place.open === undefined) return;
  const opener = document.getElementById(openerId(place.open));
  replacePlace(place, { open: undefined });
  (opener ?? document.querySelector<HTMLElement>("main"))?.focus();
}

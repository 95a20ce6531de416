import type { ComponentChildren } from "preact";
import { useLayoutEffect, useId, useRef, useState } from "preact/hooks";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** What the button says that closes it. Default: `Close`. */
  readonly dismiss?: string;
  readonly children: ComponentChildren;
}

/** What had the focus before the open dialog; null without a dialog. */
let lastOpener: Element | null = null;

/** A modal dialog, open for as long as it is mounted. Escape closes it. */
export function Dialog({ children, dismiss = "Close", onClose, title }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // A dialog that takes the place of another one has the same opener.
  const [opener] = useState(() => (lastOpener ??= document.activeElement));
  useLayoutEffect(() => {
    dialog.current?.showModal();
    // The browser would focus the close button; the first field is more useful.
    dialog.current?.querySelector<HTMLElement>("input, select, footer button")?.focus();
    const panel = opener?.closest<HTMLElement>(".panel");
    return () => {
      // The page cannot take the focus before this dialog is gone from it.
      queueMicrotask(() => {
        if (document.querySelector("dialog[open]") !== null) return;
        lastOpener = null;
        // A button that disappeared meanwhile leaves the focus to its panel.
        const place = opener?.isConnected ? opener : panel;
        if (place instanceof HTMLElement) place.focus();
      });
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet" onClick={onClose}>
          {dismiss}
        </button>
      </header>
      {children}
    </dialog>
  );
}

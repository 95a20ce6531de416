import { useEffect } from "preact/hooks";

export function focusMain(): void {
  document.querySelector("main")?.focus();
}

/**
 * If the focused element goes away, the focus moves to the part of the page around it. A browser would
 * start at the top of the page again.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    let around: HTMLElement | null | undefined;
    const onFocus = () => {
      last = document.activeElement;
      around = last?.parentElement?.closest<HTMLElement>("[tabindex='-1']");
    };
    const observer = new MutationObserver(() => {
      const focused = document.activeElement;
      // A hidden element has the focus until the browser paints.
      if (focused !== document.body && focused !== last) return;
      if (last?.checkVisibility() !== false) return;
      if (around?.checkVisibility()) around.focus();
      else focusMain();
    });
    // A class hides the rail of a narrow window.
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["class"] });
    addEventListener("focusin", onFocus);
    return () => {
      observer.disconnect();
      removeEventListener("focusin", onFocus);
    };
  }, []);
}

import { useEffect, useRef, useState } from "preact/hooks";
import { usePage } from "../data/page-context.ts";
import { replacePlace } from "../data/place.ts";

/** The search of a list. The page focuses it when `/` is pressed, and the arrow down leads to the list. */
export function Search({ hint, label }: Readonly<{ hint: string; label: string }>) {
  const { place } = usePage();
  const input = useRef<HTMLInputElement>(null);
  // The address follows a moment later, and must not replace text that was typed since.
  const [text, setText] = useState(place.search);
  useEffect(() => {
    if (document.activeElement !== input.current) setText(place.search);
  }, [place.search]);
  return (
    <span class="search">
      <input
        ref={input}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={hint}
        value={text}
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          replacePlace(place, { search: value, open: undefined });
        }}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          document.querySelector<HTMLElement>("tbody a[tabindex='0']")?.focus();
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </span>
  );
}

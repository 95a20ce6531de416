import { useLayoutEffect, useRef } from "preact/hooks";

/** The reference of an element that leaves the focus to its panel when it disappears with it. */
export function useLeftFocus<Place extends HTMLElement>() {
  const place = useRef<Place>(null);
  useLayoutEffect(() => {
    const { current } = place;
    return () => {
      if (current?.contains(document.activeElement)) {
        current.closest<HTMLElement>(".panel")?.focus();
      }
    };
  }, []);
  return place;
}

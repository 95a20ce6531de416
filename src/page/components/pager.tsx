import { useRef } from "preact/hooks";
import type { Paging } from "../data/use-page.ts";

interface PagerProps {
  readonly paging: Paging<unknown>;
  /** How much the page shows, like `7 identities`. */
  readonly count: string | undefined;
}

/** The number of the page, and buttons to reload it and to go to the next and previous ones. */
export function Pager({ count, paging }: PagerProps) {
  const { number, page, reload, toNext, toPrevious } = paging;
  const footer = useRef<HTMLElement>(null);
  const turn = (to: (() => void) | undefined) => () => {
    to?.();
    footer.current?.closest(".panel")?.scrollIntoView({ block: "nearest" });
  };
  return (
    <footer class="pager" ref={footer}>
      <span class="dim" role="status">
        {page !== undefined && `page ${number}: ${count}, in the order of their ids`}
      </span>
      <span class="buttons">
        <button type="button" class="quiet" onClick={reload}>
          Reload
        </button>
        <button type="button" disabled={toPrevious === undefined} onClick={turn(toPrevious)}>
          Previous
        </button>
        <button type="button" disabled={toNext === undefined} onClick={turn(toNext)}>
          Next
        </button>
      </span>
    </footer>
  );
}

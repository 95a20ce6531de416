import { useRef } from "preact/hooks";
import { hashOf, type ViewState } from "../../data/view-state.ts";
import { Choice } from "../filters.tsx";

const LIMITS = [10, 25, 50, 100];

interface KeyPagerProps {
  readonly viewState: ViewState;
  /** How many keys come before the page, are on it, and are on all pages. */
  readonly offset: number;
  readonly count: number;
  readonly total: number;
  /** The most of a page. */
  readonly limit: number;
  readonly onLimit: (limit: number) => void;
}

/** Which keys are shown, and links to the other pages. */
export function KeyPager({ count, limit, offset, onLimit, total, viewState }: KeyPagerProps) {
  const footer = useRef<HTMLElement>(null);
  const page = Math.floor(offset / limit) + 1;
  const last = Math.max(1, Math.ceil(total / limit));
  const turnTo = (to: number) => {
    location.hash = hashOf(viewState, { page: to });
    footer.current?.closest(".panel")?.scrollIntoView({ block: "nearest" });
  };
  const turns = [
    ["First", 1, page > 1],
    ["Previous", page - 1, page > 1],
    ["Next", page + 1, page < last],
    ["Last", last, page < last],
  ] as const;
  return (
    <footer class="pager" ref={footer}>
      <span class="dim" role="status">
        {toText(offset, count, total)}
      </span>
      <span class="buttons">
        <Choice
          label="per page"
          options={LIMITS}
          value={limit}
          onChange={(chosen) => {
            location.hash = hashOf(viewState, { page: Math.floor(offset / chosen) + 1 });
            onLimit(chosen);
          }}
        />
        {turns.map(([word, to, isOpen]) => (
          <button key={word} type="button" disabled={!isOpen} onClick={() => turnTo(to)}>
            {word}
          </button>
        ))}
      </span>
    </footer>
  );
}

/** Like `1–25 of 750 keys`. */
function toText(offset: number, count: number, total: number): string {
  const all = `${total.toLocaleString("en")} ${total === 1 ? "key" : "keys"}`;
  if (count === 0) return all;
  const [from, to] = [offset + 1, offset + count].map((number) => number.toLocaleString("en"));
  return `${from}–${to} of ${all}`;
}

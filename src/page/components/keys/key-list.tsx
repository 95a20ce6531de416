import { pluralize } from "../../../base/wording/pluralize.ts";
import type { KeyPage } from "../../data/interfaces.ts";
import type { OnTask } from "./key-task.ts";
import { KeyRow } from "./key-row.tsx";
import type { ViewState } from "../../data/view-state.ts";
import type { Paging } from "../../data/use-page.ts";

interface KeyListProps {
  readonly paging: Paging<KeyPage>;
  readonly now: number;
  readonly viewState: ViewState;
  readonly canRotate: boolean;
  readonly onTask: OnTask;
}

/** The keys of a page, or the reason why there are none. */
export function KeyList({ paging: { isLoading, lines, page }, ...shared }: KeyListProps) {
  if (page === undefined) {
    return lines.length === 0 && isLoading ? <p class="dim empty">Looking…</p> : null;
  }
  if (page.keys.length === 0) {
    const why =
      shared.viewState.externalId === ""
        ? "There are no keys here."
        : "There are no keys with this external id here.";
    return <p class="dim empty">{why}</p>;
  }
  return (
    <div class="list">
      {/* Hidden from screen readers, because each cell says what it is. */}
      <div class="heads" aria-hidden="true">
        <span>key</span>
        <span>customer</span>
        <span>roles and state</span>
        <span>uses</span>
        <span>created and used</span>
      </div>
      <ul class="rows" aria-busy={isLoading}>
        {page.keys.map((key) => (
          <KeyRow key={key.id} of={key} {...shared} />
        ))}
      </ul>
    </div>
  );
}

/** How many keys a page shows. */
export function countOf({ keys, total }: KeyPage): string {
  const { length } = keys;
  if (total === undefined) return `${pluralize(length, "key")} of the API`;
  return `${length} of ${total.toLocaleString("en")} keys of the API`;
}

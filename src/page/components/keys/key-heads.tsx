import { nextSort, type SortedMember } from "../../data/key-filter.ts";
import { hashOf, type ViewState } from "../../data/view-state.ts";

/** The heads of the columns, each with the members by which it sorts. */
const columns: readonly (readonly (readonly [word: string, member: SortedMember])[])[] = [
  [["key", "name"]],
  [["customer", "ownerId"]],
  [["expiry", "expires"]],
  [["uses", "remaining"]],
  [
    ["created", "createdAt"],
    ["used", "lastUsedAt"],
  ],
];

/** Sorts the keys. A second click on the same head turns the order round. */
export function KeyHeads({ viewState }: { readonly viewState: ViewState }) {
  return (
    <div class="heads" role="group" aria-label="Sort by">
      {columns.map((heads) => (
        <span key={heads[0]?.[0]}>
          {heads.map(([word, member]) => (
            <Head key={member} word={word} member={member} viewState={viewState} />
          ))}
        </span>
      ))}
    </div>
  );
}

interface HeadProps {
  readonly word: string;
  readonly member: SortedMember;
  readonly viewState: ViewState;
}

function Head({ member, viewState, word }: HeadProps) {
  const { sort } = viewState;
  const isDescending = sort === `-${member}`;
  const isSorted = isDescending || sort === member;
  return (
    <button
      type="button"
      class="quiet"
      aria-pressed={isSorted}
      onClick={() => {
        location.hash = hashOf(viewState, { sort: nextSort(sort, member) });
      }}
    >
      {word}
      {isSorted && (
        <span class={isDescending ? "down" : "up"}>
          <span class="visually-hidden">{isDescending ? " descending" : " ascending"}</span>
        </span>
      )}
    </button>
  );
}

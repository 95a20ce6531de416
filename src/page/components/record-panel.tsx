import { useState } from "preact/hooks";
import { AskedDialog, type Asked, type OnAsk } from "./asked.tsx";
import { RecordList, type RecordListProps } from "./record-list.tsx";
import { SearchField } from "./filters.tsx";
import type { ComponentChildren } from "preact";
import { useRights } from "../data/page-context.ts";

interface RecordPanelProps<Item> extends Omit<
  RecordListProps<Item>,
  "children" | "input" | "none"
> {
  /** The class of the panel, and the id of its heading. */
  readonly name: string;
  readonly title: string;
  /** What a search looks at; shown in its empty field. */
  readonly hint: string;
  /** What creates a record. */
  readonly create: Asked;
  readonly children: (item: Item, onAsk: OnAsk) => ComponentChildren;
}

/** A panel with all records of a kind, a search, and a form for a new one. */
export function RecordPanel<Item>(props: RecordPanelProps<Item>) {
  const { children, client, create, name, noun, title } = props;
  const [search, setSearch] = useState("");
  const [asked, setAsked] = useState<Asked>();
  const [one, several] = noun;
  const may = useRights();
  return (
    <section class={`panel ${name}`} aria-labelledby={name} tabIndex={-1}>
      <header>
        <h2 id={name}>{title}</h2>
        {may(create.operation) && (
          <button type="button" class="main" onClick={() => setAsked(create)}>
            Create {/^[aeiou]/.test(one) ? "an" : "a"} {one}
          </button>
        )}
      </header>
      <form
        class="filters"
        role="search"
        aria-label={several}
        onSubmit={(event) => event.preventDefault()}
      >
        <SearchField
          label={`Find ${several}`}
          hint={props.hint}
          value={search}
          onSearch={setSearch}
        />
      </form>
      <RecordList<Item>
        {...props}
        input={search === "" ? {} : { search }}
        none={search === "" ? `There are no ${several}.` : `No ${one} contains this text.`}
      >
        {(item) => children(item, setAsked)}
      </RecordList>
      {asked !== undefined && (
        <AskedDialog {...asked} client={client} onClose={() => setAsked(undefined)} />
      )}
    </section>
  );
}

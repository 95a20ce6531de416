import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** With at least this many records, there is a search field. */
const MANY = 8;
const MAX_SHOWN = 200;

/** A record to choose. */
interface Choosable {
  readonly id: string;
  readonly name?: string | undefined;
  readonly href: string;
  readonly count: string;
  /** What is counted, like `keys`. */
  readonly counted: string;
  /** What the count means. Default: `counted`. */
  readonly title?: string | undefined;
}

interface SidebarProps {
  /** What is chosen, like `APIs`. */
  readonly title: string;
  /** The label of the search field. */
  readonly find: string;
  /** Shown in place of an empty list. */
  readonly none: string;
  readonly items: readonly Choosable[];
  readonly chosen: string | undefined;
  /** Buttons below the list. */
  readonly children: ComponentChildren;
}

/** Records to choose from, beside the panel that shows the chosen one. */
export function Sidebar({ children, chosen, find, items, none, title }: SidebarProps) {
  const [wanted, setWanted] = useState("");
  const found = items.filter(({ id, name = "" }) =>
    `${id} ${name}`.toLowerCase().includes(wanted.toLowerCase()),
  );
  return (
    <nav class="sidebar" aria-label={title}>
      <h2>{title}</h2>
      {items.length >= MANY && (
        <input
          type="search"
          aria-label={find}
          placeholder={find}
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      )}
      <ul>
        {found.slice(0, MAX_SHOWN).map((item) => (
          <Item key={item.id} of={item} isChosen={item.id === chosen} />
        ))}
      </ul>
      {found.length > MAX_SHOWN && (
        <p class="dim">and {(found.length - MAX_SHOWN).toLocaleString("en")} more</p>
      )}
      {items.length === 0 && <p class="dim">{none}</p>}
      <div class="buttons">{children}</div>
    </nav>
  );
}

interface ItemProps {
  readonly of: Choosable;
  readonly isChosen: boolean;
}

function Item({ isChosen, of: { count, counted, href, id, name, title = counted } }: ItemProps) {
  return (
    <li>
      <a href={href} aria-current={isChosen ? "true" : undefined}>
        <span class="names">
          <bdi class="title">{name ?? id}</bdi>
          {name !== undefined && <code>{id}</code>}
        </span>
        <span class="count" title={title}>
          {count}
          <span class="visually-hidden"> {counted}</span>
        </span>
      </a>
    </li>
  );
}

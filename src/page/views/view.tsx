import type { ComponentChildren } from "preact";
import { usePage } from "../data/page-context.ts";
import { hashOf, titles } from "../data/place.ts";
import { Name, Refusal } from "./parts.tsx";
import { Search } from "./search.tsx";

interface ViewProps {
  readonly title: string;
  /** The records that the search finds, like `keys`, and the members that it looks at. Default: no search. */
  readonly search?: readonly [noun: string, hint: string];
  /** An operation that a button leads to. */
  readonly link?: keyof typeof titles;
  /** Further content beside the title. */
  readonly bar?: ComponentChildren;
  /** The problems of reading or changing something. */
  readonly lines?: readonly string[];
  readonly children: ComponentChildren;
}

/** A view with its title. */
export function View({ bar, children, lines = [], link, search, title }: ViewProps) {
  const { place } = usePage();
  return (
    <section class="list" aria-labelledby="title">
      <header class="bar">
        <h1 id="title">
          <Name of={title} />
        </h1>
        <div class="tools">
          {search !== undefined && <Search label={`Search ${search[0]}`} hint={search[1]} />}
          {bar}
          {link !== undefined && (
            <a class="button" href={hashOf(place, { view: "call", operation: link })}>
              {titles[link]}
            </a>
          )}
        </div>
      </header>
      <Refusal lines={lines} />
      {children}
    </section>
  );
}

/** The content of a view to read, without choices. Keyboard users can scroll it. */
export function Reading({ children }: Pick<ViewProps, "children">) {
  return (
    <div class="scroll pad" tabIndex={0}>
      {children}
    </div>
  );
}

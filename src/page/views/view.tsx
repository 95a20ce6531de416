import type { ComponentChildren } from "preact";
import { usePage } from "../data/page-context.ts";
import { hashOf } from "../data/place.ts";
import { Refusal } from "./parts.tsx";
import { Search } from "./search.tsx";

interface ViewProps {
  readonly title: string;
  /** The records that the search finds, like `keys`, and the members that it looks at. Default: no search. */
  readonly search?: readonly [noun: string, hint: string];
  /** A button that leads to the call of an operation. */
  readonly link?: readonly [operation: string, words: string];
  /** What else stands beside the title. */
  readonly bar?: ComponentChildren;
  /** Why something could not be read or done. */
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
          <bdi>{title}</bdi>
        </h1>
        {search !== undefined && <Search label={`Search ${search[0]}`} hint={search[1]} />}
        {bar}
        {link !== undefined && (
          <a class="button" href={hashOf(place, { view: "call", operation: link[0] })}>
            {link[1]}
          </a>
        )}
      </header>
      <Refusal lines={lines} />
      {children}
    </section>
  );
}

/** The content of a view that is read and not chosen from. Keyboard users can scroll it. */
export function Reading({ children }: Pick<ViewProps, "children">) {
  return (
    <div class="scroll pad" tabIndex={0}>
      {children}
    </div>
  );
}

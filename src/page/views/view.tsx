import type { ComponentChildren } from "preact";
import { Refusal } from "./parts.tsx";

interface ViewProps {
  readonly title: string;
  /** What stands beside the title. */
  readonly bar?: ComponentChildren;
  /** Why something could not be read or done. */
  readonly lines?: readonly string[];
  readonly children: ComponentChildren;
}

/** A view with its title. */
export function View({ bar, children, lines = [], title }: ViewProps) {
  return (
    <section class="list" aria-labelledby="title">
      <header class="bar">
        <h1 id="title">
          <bdi>{title}</bdi>
        </h1>
        {bar}
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

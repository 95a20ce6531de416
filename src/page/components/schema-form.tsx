import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Refusal } from "./refusal.tsx";
import { SchemaFields, type Choices } from "./schema-fields.tsx";
import { orderOf } from "../data/form-order.ts";
import { only, toBody, type Document, type Draft, type Schema } from "../data/schema.ts";
import type { Work } from "../data/use-work.ts";

interface SchemaFormProps {
  /** Decides the order of the fields. Default: that of the schema. */
  readonly operation?: string;
  readonly document: Document | undefined;
  readonly schema: Schema;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  readonly onSend: (body: Record<string, unknown>) => void;
  readonly work: Work;
  /** Why the document could not be loaded. */
  readonly lines: readonly string[];
  readonly submit: string;
  /** Whether sending removes something. */
  readonly isDangerous?: boolean;
  readonly choices?: Choices;
  /** Shown beside the submit button. */
  readonly children?: ComponentChildren;
}

/** A form for the body of a request, derived from its schema. Moves the focus to refused fields. */
export function SchemaForm(props: SchemaFormProps) {
  const {
    children,
    choices = {},
    document,
    draft,
    isDangerous = false,
    lines,
    onDraft,
    onSend,
    operation = "",
    schema,
    submit,
    work,
  } = props;
  const form = useRef<HTMLFormElement>(null);
  const isReady = document !== undefined;
  const order = document && orderOf(document, operation, schema);
  const wrong = pathsIn(work.lines);
  const isWrong = (name: string) => [...wrong].some((path) => path.split(".", 1)[0] === name);
  const fieldsOf = (names: readonly string[]) =>
    document !== undefined && (
      <div class="fields">
        <SchemaFields
          document={document}
          schema={only(schema, names)}
          draft={draft}
          onDraft={onDraft}
          choices={choices}
          wrong={wrong}
        />
      </div>
    );
  // Before the browser paints, because a user who types at once would lose the focus while typing.
  useLayoutEffect(() => {
    if (isReady) form.current?.querySelector<HTMLElement>("input, select, [type=submit]")?.focus();
  }, [isReady]);
  useLayoutEffect(() => {
    form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [work.lines]);
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        if (document !== undefined) onSend(toBody(document, schema, draft));
      }}
    >
      {order && fieldsOf(order.first)}
      {order && order.others.length > 0 && (
        // A refused field is shown, so that it can have the focus.
        <details class="more" open={order.others.some(isWrong)}>
          <summary>More</summary>
          {fieldsOf(order.others)}
        </details>
      )}
      <footer>
        <Refusal lines={[...lines, ...work.lines]} />
        {children}
        <button
          type="submit"
          class={isDangerous ? "main danger" : "main"}
          disabled={work.isBusy || !isReady}
        >
          {work.isBusy ? "Waiting for the reply…" : submit}
        </button>
      </footer>
    </form>
  );
}

/** The paths of members at the beginning of error lines, like `refill.amount`. */
function pathsIn(lines: readonly string[]): ReadonlySet<string> {
  return new Set(
    lines.flatMap((line) => {
      const [, path] =
        /^(?:\d+ )?(?:[A-Z_]+: )?(?:fault: )?([\w.]+)(?:\[\d+\])?: /.exec(line) ?? [];
      // All items of a list share one field.
      return path?.replace(/\.\d+$/, "") ?? [];
    }),
  );
}

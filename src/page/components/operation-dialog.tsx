import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { toChange, toDraft } from "../data/change.ts";
import type { Client } from "../data/client.ts";
import { Dialog } from "./dialog.tsx";
import { Copy } from "./json.tsx";
import type { Choices } from "./schema-fields.tsx";
import { SchemaForm } from "./schema-form.tsx";
import { bodyOf, toBody, without, type Draft } from "../data/schema.ts";
import { toCurl } from "../data/to-curl.ts";
import { OPERATIONS, useDocument } from "../data/use-document.ts";
import { useWork } from "../data/use-work.ts";

interface OperationDialogProps<Data> {
  readonly client: Client;
  /** Like `keys.createKey`. */
  readonly operation: string;
  readonly title: string;
  readonly submit: string;
  /** What the user has entered. */
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  /** Members without a field. Those that are undefined are not sent. */
  readonly fixed?: object;
  /** The present values of the fields. Only what differs is sent. */
  readonly present?: object;
  readonly choices?: Choices;
  readonly onDone: (data: Data) => void;
  readonly onClose: () => void;
  /** Shown above the fields. */
  readonly children?: ComponentChildren;
  /** What the last call answered, if the dialog stays open. */
  readonly outcome?: ComponentChildren;
}

/**
 * A form for an operation, with a field for each member of its body. It calls like any client: faults
 * are applied, and the journal records it.
 */
export function OperationDialog<Data>(props: OperationDialogProps<Data>) {
  const { children, client, fixed = {}, onClose, onDone, outcome, present } = props;
  const path = `v2/${props.operation}`;
  const { document, lines } = useDocument(client, OPERATIONS);
  const [end] = useState(() => new AbortController());
  const work = useWork();
  const schema = document ? without(bodyOf(document, path), Object.keys(fixed)) : {};
  const before = useMemo(
    () => (document && present ? toDraft(document, schema, present) : {}),
    [document],
  );
  const draft = { ...before, ...props.draft };
  const body =
    document &&
    Object.assign(
      { ...fixed },
      present ? toChange(document, schema, draft, before) : toBody(document, schema, draft),
    );
  const send = () =>
    work.run(async () => {
      if (body) onDone(await client.call(props.operation, body, end.signal));
    });
  return (
    <Dialog
      title={props.title}
      // A dialog that shows outcomes stays open after the call, so there is nothing to cancel.
      dismiss={outcome === undefined ? "Cancel" : "Close"}
      onClose={() => {
        // A fault may let the call hang, so closing the dialog aborts it.
        end.abort();
        onClose();
      }}
    >
      {children}
      <SchemaForm
        operation={props.operation}
        document={document}
        schema={schema}
        draft={draft}
        onDraft={props.onDraft}
        onSend={() => void send()}
        work={work}
        lines={lines}
        submit={props.submit}
        isDangerous={/\.delete[A-Z]/.test(props.operation)}
        choices={props.choices ?? {}}
      >
        {work.lines.length === 0 && outcome}
        {body && <Copy what="Copy as curl" text={toCurl(path, client.token, body)} />}
      </SchemaForm>
    </Dialog>
  );
}

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Client } from "../data/client.ts";
import { OperationDialog } from "./operation-dialog.tsx";
import type { Action } from "../data/rights.ts";
import type { Draft } from "../data/schema.ts";

/** An operation of v2 that a button leads to. */
export interface Asked {
  readonly operation: Action;
  readonly title: string;
  readonly submit: string;
  /** Members without a field. */
  readonly fixed?: object;
  /** The present values of the fields. Only what differs is sent. */
  readonly present?: object;
  /** What the fields contain at first, unlike `present` sent too. */
  readonly draft?: Draft;
  /** Shown above the fields. */
  readonly children?: ComponentChildren;
}

/** Opens the dialog of an operation. */
export type OnAsk = (asked: Asked) => void;

interface AskedDialogProps extends Asked {
  readonly client: Client;
  readonly onClose: () => void;
}

/** The dialog of an operation on records. It closes when the operation succeeded. */
export function AskedDialog(props: AskedDialogProps) {
  const [draft, setDraft] = useState(props.draft ?? {});
  return <OperationDialog {...props} draft={draft} onDraft={setDraft} onDone={props.onClose} />;
}

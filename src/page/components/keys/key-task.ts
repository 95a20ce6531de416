import type { Client } from "../../data/client.ts";
import type { ListedKey } from "../../data/listed-key.ts";
import type { Draft } from "../../data/schema.ts";
import type { ApiState } from "../../../control/route-schemas.ts";

/** What a dialog about keys, or about one key, does. */
export type KeyTask =
  | { readonly kind: "create" | "verify" }
  | { readonly kind: "change" | "rotate" | "delete"; readonly key: ListedKey };

/** Opens the dialog of a task. These members are filled in. */
export type OnTask = (task: KeyTask, members?: Draft) => void;

export interface KeyDialogProps {
  readonly client: Client;
  readonly apis: readonly ApiState[];
  /** The API that is shown. */
  readonly apiId: string;
  readonly now: number;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  readonly onTask: OnTask;
  /** Shows a new key in the list of its API. */
  readonly onShow: (keyId: string, apiId: string) => void;
  readonly onClose: () => void;
}

/** A dialog about one key. */
export interface OneKeyProps extends KeyDialogProps {
  readonly of: ListedKey;
}

import { useState } from "preact/hooks";
import type { MadeKey } from "../../data/interfaces.ts";
import { Dialog } from "../dialog.tsx";
import { Copy } from "../json.tsx";
import type { KeyDialogProps } from "./key-task.ts";
import { OperationDialog } from "../operation-dialog.tsx";
import { useAccessNames } from "../../data/use-access-names.ts";

interface IssueKeyProps extends KeyDialogProps {
  readonly operation: string;
  readonly title: string;
  readonly submit: string;
  readonly fixed?: object;
  /** The title of the dialog that shows the new value. */
  readonly done: string;
  /** The text of the button that goes back to the form; undefined if it makes no sense. */
  readonly again?: string;
}

/** Makes a new key value, and shows it. */
export function IssueKey(props: IssueKeyProps) {
  const { again, apiId, apis, done, draft, onClose, onShow, onTask } = props;
  const [made, setMade] = useState<MadeKey>();
  const names = useAccessNames(props.client);
  if (made === undefined) {
    const apiIds = apis.map(({ id }) => id);
    return <OperationDialog {...props} choices={{ ...names, apiId: apiIds }} onDone={setMade} />;
  }
  return (
    <Dialog title={done} onClose={onClose}>
      <p>This is its value. It can be shown again only if the key is recoverable.</p>
      <p class="made">
        <code>{made.key}</code> <Copy text={made.key} />
      </p>
      <p class="hint">
        id <code>{made.keyId}</code>
      </p>
      <footer>
        {again !== undefined && (
          <button type="button" onClick={() => setMade(undefined)}>
            {again}
          </button>
        )}
        <button type="button" onClick={() => onTask({ kind: "verify" }, { key: made.key })}>
          Verify it
        </button>
        <button type="button" onClick={() => onShow(made.keyId, String(draft["apiId"] ?? apiId))}>
          Show it in the list
        </button>
        <button type="button" class="main" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}

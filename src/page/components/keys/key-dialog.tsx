import { ChangeKey } from "./change-key.tsx";
import { IssueKey } from "./issue-key.tsx";
import type { KeyDialogProps, KeyTask, OneKeyProps } from "./key-task.ts";
import { OperationDialog } from "../operation-dialog.tsx";
import { VerifyKey } from "./verify-key.tsx";

interface KeyTaskProps extends KeyDialogProps {
  readonly task: KeyTask;
}

/** The dialog of a task. */
export function KeyDialog({ task, ...props }: KeyTaskProps) {
  switch (task.kind) {
    case "verify":
      return <VerifyKey {...props} />;
    case "create":
      return (
        <IssueKey
          {...props}
          operation="keys.createKey"
          title="Create a key"
          submit="Create"
          done="The key was created"
          again="Create another"
        />
      );
    case "rotate":
      return <RotateKey {...props} of={task.key} />;
    case "change":
      return <ChangeKey {...props} of={task.key} />;
    case "delete":
      return <DeleteKey {...props} of={task.key} />;
  }
}

function RotateKey({ of: { id, name = id }, ...props }: OneKeyProps) {
  return (
    <IssueKey
      {...props}
      operation="keys.rerollKey"
      title={`Rotate ${name}`}
      submit="Rotate"
      fixed={{ keyId: id }}
      done="The key was replaced"
    />
  );
}

function DeleteKey({ of: { id, name = id }, ...props }: OneKeyProps) {
  return (
    <OperationDialog
      {...props}
      operation="keys.deleteKey"
      title={`Delete ${name}?`}
      submit="Delete"
      // `permanent` makes no difference here, so it has no field.
      fixed={{ keyId: id, permanent: undefined }}
      onDone={props.onClose}
    >
      <p>
        The key <code>{id}</code> is deleted, and stops working at once.
      </p>
    </OperationDialog>
  );
}

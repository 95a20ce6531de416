import { ChangeKey } from "./change-key.tsx";
import { rotatingOf } from "../../data/interfaces.ts";
import { IssueKey } from "./issue-key.tsx";
import type { KeyDialogProps, KeyTask, OneKeyProps } from "./key-task.ts";
import { OperationDialog } from "../operation-dialog.tsx";
import type { WorkspaceState } from "../../data/use-world.ts";
import { VerifyKey } from "./verify-key.tsx";

interface KeyTaskProps extends KeyDialogProps {
  readonly task: KeyTask;
  readonly versions: WorkspaceState["versions"];
}

/** The dialog of a task. */
export function KeyDialog({ task, versions, ...props }: KeyTaskProps) {
  const { version } = props;
  switch (task.kind) {
    case "verify":
      return <VerifyKey {...props} />;
    case "create":
      return (
        <IssueKey
          {...props}
          operation="keys.createKey"
          title={`Create a key through ${version}`}
          submit="Create"
          done="The key was created"
          again="Create another"
        />
      );
    case "rotate":
      return <RotateKey {...props} of={task.key} version={rotatingOf(versions) ?? version} />;
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
      title={`Rotate ${name} through ${props.version}`}
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
        The key <code>{id}</code> is deleted through {props.version}, and stops working at once.
      </p>
    </OperationDialog>
  );
}

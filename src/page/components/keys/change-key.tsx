import { toSettings } from "../../data/interfaces.ts";
import { useAccessNames } from "../../data/use-access-names.ts";
import { OperationDialog } from "../operation-dialog.tsx";
import type { OneKeyProps } from "./key-task.ts";

/** Changes the settings of a key, its roles and its permissions. */
export function ChangeKey({ of: key, ...props }: OneKeyProps) {
  const { id, name = id } = key;
  const { permissions, roles } = useAccessNames(props.client);
  return (
    <OperationDialog
      {...props}
      choices={{ permissions, roles }}
      operation="keys.updateKey"
      title={`Change ${name}`}
      submit="Save"
      fixed={{ keyId: id }}
      present={toSettings(key)}
      onDone={props.onClose}
    >
      <p class="hint">Only what you change is sent. Empty a field to clear it.</p>
    </OperationDialog>
  );
}

import type { OneKeyProps } from "./key-task.ts";
import { OperationDialog } from "../operation-dialog.tsx";
import { useAccessNames } from "../../data/use-access-names.ts";

/** Changes the settings of a key, its roles and its permissions. */
export function ChangeKey({ of: { id, name = id, settings }, ...props }: OneKeyProps) {
  const { permissions, roles } = useAccessNames(props.client);
  return (
    <OperationDialog
      {...props}
      choices={{ permissions, roles }}
      operation="keys.updateKey"
      title={`Change ${name} through ${props.version}`}
      submit="Save"
      fixed={{ keyId: id }}
      present={settings}
      onDone={props.onClose}
    >
      <p class="hint">Only what you change is sent. Empty a field to clear it.</p>
      {settings.permissions === undefined && <p class="hint">{UNKNOWN_PERMISSIONS}</p>}
    </OperationDialog>
  );
}

const UNKNOWN_PERMISSIONS =
  "The permissions are not filled in, because a list does not tell those of the key from those of its roles. What you enter replaces its own. To remove them all, enter [], or add one and remove it again.";

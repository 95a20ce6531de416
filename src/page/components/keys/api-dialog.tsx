import { useState } from "preact/hooks";
import { pluralize } from "../../../base/wording/text.ts";
import type { Client } from "../../data/client.ts";
import { OperationDialog } from "../operation-dialog.tsx";
import type { Draft } from "../../data/schema.ts";
import type { ApiState } from "../../../control/route-schemas.ts";

interface ApiDialogProps {
  readonly client: Client;
  /** The API to delete; undefined to create one. */
  readonly deleted: ApiState | undefined;
  /** Goes to an API, or to the first one. */
  readonly onShow: (apiId: string | undefined) => void;
  readonly onClose: () => void;
}

/** Creates an API, or deletes one after a confirmation. */
export function ApiDialog({ deleted, onShow, ...props }: ApiDialogProps) {
  const [draft, setDraft] = useState<Draft>({});
  const shared = {
    ...props,
    draft,
    onDraft: setDraft,
    onDone: ({ apiId }: { readonly apiId?: string }) => {
      props.onClose();
      onShow(apiId);
    },
  };
  if (deleted === undefined) {
    return (
      <OperationDialog
        {...shared}
        operation="apis.createApi"
        title="Create an API"
        submit="Create"
      />
    );
  }
  const { id, keys, name = id } = deleted;
  return (
    <OperationDialog
      {...shared}
      operation="apis.deleteApi"
      title="Delete this API?"
      submit="Delete"
      fixed={{ apiId: id }}
    >
      <p>
        <bdi>{name}</bdi> <code>{id}</code> and its {pluralize(keys, "key")} are deleted.
      </p>
    </OperationDialog>
  );
}

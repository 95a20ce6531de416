import { useState } from "preact/hooks";
import type { VersionName } from "../../../contract/version.ts";
import type { Client } from "../../data/client.ts";
import type { MadeKey } from "../../data/interfaces.ts";
import { Dialog } from "../dialog.tsx";
import { Copy } from "../json.tsx";
import { root } from "../../data/root.ts";
import { SchemaForm } from "../schema-form.tsx";
import { toBody, type Draft, type Schema } from "../../data/schema.ts";
import { operationsAt, useDocument } from "../../data/use-document.ts";
import { useWork } from "../../data/use-work.ts";
import type { ApiState } from "../../data/use-world.ts";

const schema: Schema = { $ref: "#/components/schemas/CreateKeyBody" };

interface CreateKeyProps {
  readonly client: Client;
  readonly version: VersionName;
  readonly apis: readonly ApiState[];
  /** The contents of the form, kept while the dialog is closed. */
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  /** Shows a new key in the list of its API. */
  readonly onShow: (keyId: string, apiId: string) => void;
  readonly onClose: () => void;
}

/** Creates a key with the same call as any client: faults are applied, and the journal records it. */
export function CreateKey(props: CreateKeyProps) {
  const { apis, client, draft, onClose, onDraft, onShow, version } = props;
  const { document, lines } = useDocument(client, operationsAt(version));
  const [made, setMade] = useState<MadeKey>();
  const [end] = useState(() => new AbortController());
  const work = useWork();
  const close = () => {
    // A fault may let the call hang, so closing the dialog aborts it.
    end.abort();
    onClose();
  };
  if (made !== undefined) {
    const { apiId } = draft;
    return (
      <Dialog title="The key was created" onClose={onClose}>
        <p>This is its value. It can be shown again only if the key is recoverable.</p>
        <p class="made">
          <code>{made.key}</code> <Copy text={made.key} />
        </p>
        <p class="hint">
          id <code>{made.keyId}</code>
        </p>
        <footer>
          <button type="button" onClick={() => setMade(undefined)}>
            Create another
          </button>
          <button type="button" onClick={() => onShow(made.keyId, String(apiId))}>
            Show it in the list
          </button>
          <button type="button" class="main" onClick={onClose}>
            Done
          </button>
        </footer>
      </Dialog>
    );
  }
  const create = async (body: object) => {
    await work.run(async () => setMade(await client.create(version, body, end.signal)));
  };
  return (
    <Dialog title={`Create a key through ${version}`} onClose={close}>
      <SchemaForm
        document={document}
        schema={schema}
        draft={draft}
        onDraft={onDraft}
        onSend={(body) => void create(body)}
        work={work}
        lines={lines}
        submit="Create"
        choices={{ apiId: apis.map(({ id }) => id) }}
      >
        {document !== undefined && (
          <Copy
            what="Copy as curl"
            text={toCurl(version, client.token, toBody(document, schema, draft))}
          />
        )}
      </SchemaForm>
    </Dialog>
  );
}

/** Quotes for a POSIX shell, where only the quote itself is special within single quotes. */
function toCurl(version: VersionName, token: string, sent: object): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `curl ${quote(`${root}${version}/keys.createKey`)}`,
    `-H ${quote(`Authorization: Bearer ${token}`)}`,
    `-H 'Content-Type: application/json'`,
    `-d ${quote(JSON.stringify(sent))}`,
  ].join(" ");
}

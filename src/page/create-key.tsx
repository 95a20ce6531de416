import { useState } from "preact/hooks";
import type { CreateKeyResult } from "../contract/create-key.ts";
import type { Client } from "./client.ts";
import { Dialog } from "./dialog.tsx";
import { Copy } from "./json.tsx";
import { Refusal } from "./refusal.tsx";
import { SchemaFields } from "./schema-fields.tsx";
import { toBody, type Draft, type Schema } from "./schema.ts";
import { useDocument } from "./use-document.ts";
import { useWork } from "./use-work.ts";
import type { ApiState } from "./use-world.ts";

const body: Schema = { $ref: "#/components/schemas/CreateKeyBody" };

interface CreateKeyProps {
  readonly client: Client;
  readonly api: ApiState;
  readonly apis: readonly ApiState[];
  readonly onClose: () => void;
}

/** Creates a key as any client does: with every field, through faults, and into the journal. */
export function CreateKey({ api, apis, client, onClose }: CreateKeyProps) {
  const { document, lines } = useDocument(client, "/operations.json");
  const [draft, setDraft] = useState<Draft>({ apiId: api.id });
  const [made, setMade] = useState<CreateKeyResult>();
  const [end] = useState(() => new AbortController());
  const work = useWork();
  const close = () => {
    // One that hangs would hang for ever.
    end.abort();
    onClose();
  };
  if (made !== undefined) {
    return (
      <Dialog title="The key was created" onClose={onClose}>
        <p>This is its value. It is shown only now.</p>
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
          <button type="button" class="main" onClick={onClose}>
            Done
          </button>
        </footer>
      </Dialog>
    );
  }
  const create = async () => {
    if (document === undefined) return;
    const sent = toBody(document, body, draft);
    await work.run(async () => setMade(await client.create(sent, end.signal)));
  };
  return (
    <Dialog title="Create a key" onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Refusal lines={[...lines, ...work.lines]} />
        {document !== undefined && (
          <div class="fields">
            <SchemaFields
              document={document}
              schema={body}
              draft={draft}
              onDraft={setDraft}
              choices={{ apiId: apis.map(({ id }) => id) }}
            />
          </div>
        )}
        <footer>
          {document !== undefined && (
            <Copy what="Copy as curl" text={toCurl(client.token, toBody(document, body, draft))} />
          )}
          <button type="submit" class="main" disabled={work.isBusy}>
            {work.isBusy ? "Waiting for the reply…" : "Create"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** For a POSIX shell: within single quotes nothing means anything but the quote itself. */
function toCurl(token: string, sent: object): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `curl ${quote(`${location.origin}/v1/keys.createKey`)}`,
    `-H ${quote(`Authorization: Bearer ${token}`)}`,
    `-H 'Content-Type: application/json'`,
    `-d ${quote(JSON.stringify(sent))}`,
  ].join(" ");
}

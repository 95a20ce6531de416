import { useEffect, useState } from "preact/hooks";
import type { OperationName } from "../../api/operation-name.ts";
import { isRecord } from "../../base/json.ts";
import { tell } from "../data/call-words.ts";
import type { RawReply } from "../data/client.ts";
import { toCurl } from "../data/curl.ts";
import { exampleOf, readSample, useOperations, type Operation } from "../data/operations.ts";
import { usePage } from "../data/page-context.ts";
import { hashOf, replacePlace } from "../data/place.ts";
import { useWork } from "../data/use-work.ts";
import { Copy, Json, Refusal } from "./parts.tsx";
import { View } from "./view.tsx";

/** Calls any operation: choose it, change the example, send it, and see the reply. */
export function CallForm() {
  const { place } = usePage();
  const { lines, operations = [] } = useOperations();
  const wanted = place.operation ?? "keys.createKey";
  const operation = operations.find(({ name }) => name === wanted) ?? operations[0];
  return (
    <View title="Call an operation" lines={lines}>
      <div class="scroll pad form">
        {operation !== undefined && (
          <>
            <label class="field">
              Operation
              <select
                value={operation.name}
                onChange={({ currentTarget: { value } }) =>
                  replacePlace(place, { operation: value })
                }
              >
                {operations.map(({ name, path }) => (
                  <option key={path} value={name}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            <p class="soft">
              {operation.summary}. <code>{`${operation.method} ${operation.path}`}</code>
            </p>
            <Body key={operation.path} of={operation} />
          </>
        )}
      </div>
    </View>
  );
}

function Body({ of: operation }: { readonly of: Operation }) {
  const { client, place, world } = usePage();
  const [text, setText] = useState<string>();
  const [reply, setReply] = useState<RawReply>();
  const work = useWork();
  const { method, path } = operation;
  const apiId = place.apiId ?? world.workspace.apis[0]?.id;
  useEffect(() => {
    void readSample(client, { apiId, keyId: place.open }).then((sample) =>
      setText(JSON.stringify(exampleOf(operation, sample), undefined, 2)),
    );
  }, []);
  if (text === undefined) return <p class="soft late">Looking for an example…</p>;
  const isGet = method === "GET";
  const target = isGet ? path + toQuery(text) : path;
  const body = isGet ? undefined : text;
  const send = async () => {
    setReply(undefined);
    setReply(await client.try(target, { method, body }));
  };
  return (
    <>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!work.isBusy) void work.run(send);
        }}
      >
        <label class="field">
          {isGet ? "Query as JSON" : "Body as JSON"}
          <textarea
            rows={Math.min(18, text.split("\n").length + 1)}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <div class="acts">
          <button type="submit" class="main" aria-disabled={work.isBusy}>
            {work.isBusy ? "Waiting for the reply…" : "Send"}
          </button>
          <Copy text={toCurl(client, target, body)} what="Copy as curl" />
        </div>
      </form>
      <Refusal lines={work.lines} />
      <div class="form" role="status">
        {reply !== undefined && <Reply of={reply} name={operation.name} />}
      </div>
    </>
  );
}

interface ReplyProps {
  readonly of: RawReply;
  /** The name of the operation. */
  readonly name: string;
}

function Reply({ name, of: { body, hint, milliseconds, status } }: ReplyProps) {
  const { client, place } = usePage();
  const call = { operation: name as OperationName, answer: body, status, hint };
  const { code, keyId, kind, words } = tell(call);
  useEffect(() => {
    const data = isRecord(body) ? body["data"] : undefined;
    if (isRecord(data) && typeof data["key"] === "string" && keyId !== undefined) {
      client.made = { key: data["key"], keyId };
    }
  }, [body]);
  return (
    <>
      <p class={`outcome ${kind}`}>
        <b>{code ?? status}</b> {words}, after {Math.round(milliseconds)} ms.{" "}
        {keyId !== undefined && (
          <a href={hashOf(place, { view: "keys", open: keyId })}>Show the key</a>
        )}
      </p>
      <Json label="Reply" value={body} />
    </>
  );
}

/** The members of a JSON object as a query; nothing for other text. */
function toQuery(text: string): string {
  try {
    const members = Object.entries(JSON.parse(text) as object);
    const query = new URLSearchParams(members.map(([name, value]) => [name, String(value)]));
    return members.length === 0 ? "" : `?${query}`;
  } catch {
    return "";
  }
}

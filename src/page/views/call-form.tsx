import { useEffect, useRef, useState } from "preact/hooks";
import type { OperationName } from "../../api/operation-name.ts";
import { isRecord } from "../../base/json.ts";
import { describe } from "../data/call-words.ts";
import type { RawReply } from "../data/client.ts";
import { gapsIn, toCurl, toQuery } from "../data/curl.ts";
import {
  exampleOf,
  lackOf,
  readSample,
  useOperations,
  type Operation,
} from "../data/operations.ts";
import { usePage } from "../data/page-context.ts";
import { hashOf, replacePlace, titles, views } from "../data/place.ts";
import { useWork } from "../data/use-work.ts";
import { Copy, Json, Refusal } from "./parts.tsx";
import { View } from "./view.tsx";

/** Calls any operation: choose it, change the example, send it, and see the reply. */
export function CallForm() {
  const { place, world } = usePage();
  const { lines, operations = [] } = useOperations();
  const { operation: asked } = place;
  const wanted = asked ?? "keys.createKey";
  const operation = operations.find(({ name }) => name === wanted) ?? operations[0];
  const of: Readonly<Record<string, string>> = titles;
  const title = asked === undefined ? undefined : (of[asked] ?? operation?.summary);
  const lack = operation && lackOf(operation, world.workspace.apis);
  const choice = (
    <select
      aria-label="Operation"
      value={operation?.name}
      onChange={({ currentTarget: { value } }) => replacePlace(place, { operation: value })}
    >
      {operations.map(({ name, path }) => (
        <option key={path} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
  return (
    <View title={title ?? views.call} lines={lines} bar={choice}>
      <div class="scroll pad form">
        {operation !== undefined && (
          <p class="soft">
            {operation.summary}. <code>{`${operation.method} ${operation.path}`}</code>
          </p>
        )}
        {lack !== undefined && (
          <p>
            There is no {lack[0]} yet.{" "}
            <a href={hashOf(place, { operation: lack[1] })}>Make one first</a>, and come back.
          </p>
        )}
        {operation && lack === undefined && <Body key={operation.path} of={operation} />}
      </div>
    </View>
  );
}

function Body({ of: operation }: { readonly of: Operation }) {
  const { client, drafts, place, world } = usePage();
  const apiId = place.apiId ?? world.workspace.apis[0]?.id;
  const { method, path } = operation;
  const id = [path, apiId, place.open].join("\n");
  const [text, setText] = useState(drafts.get(id));
  const [reply, setReply] = useState<RawReply>();
  const field = useRef<HTMLTextAreaElement>(null);
  const work = useWork();
  const isKnown = text !== undefined;
  useEffect(() => {
    // The element that led here is gone, so nothing else has the focus.
    if (isKnown && document.activeElement?.matches("body, main")) field.current?.focus();
    if (isKnown) return;
    void readSample(client, { apiId, keyId: place.open }).then((sample) =>
      setText(JSON.stringify(exampleOf(operation, sample), undefined, 2)),
    );
  }, [isKnown]);
  if (!isKnown) return null;
  const isGet = method === "GET";
  const target = isGet ? path + toQuery(text) : path;
  const body = isGet ? undefined : text;
  const gaps = gapsIn(text);
  const send = async () => {
    setReply(undefined);
    const answer = await client.try(target, { method, body });
    if (answer.status < 400) drafts.delete(id);
    setReply(answer);
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
            ref={field}
            rows={Math.min(18, text.split("\n").length + 1)}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget: { value } }) => {
              drafts.set(id, value);
              setText(value);
            }}
          />
        </label>
        {gaps.length > 0 && <p class="advice">Fill in {gaps.join(", ")} first.</p>}
        <div class="acts">
          <button type="submit" class="main" aria-disabled={work.isBusy}>
            {work.isBusy ? "Waiting for the reply…" : "Send"}
          </button>
          <Copy text={toCurl(client, target, body)} what="Copy as curl" />
          {drafts.has(id) && (
            <button
              type="button"
              class="quiet"
              onClick={() => {
                drafts.delete(id);
                setText(undefined);
              }}
            >
              Discard changes
            </button>
          )}
        </div>
      </form>
      <Refusal lines={work.lines} />
      <div class="form" role="status">
        {reply !== undefined && <Reply of={reply} name={operation.name} />}
      </div>
    </>
  );
}

/** @param name the name of the operation */
function Reply({ name, of }: Readonly<{ name: string; of: RawReply }>) {
  const { body, hint, milliseconds, status } = of;
  const { client, place } = usePage();
  const call = { operation: name as OperationName, answer: body, status, hint };
  const { code, keyId, kind, words } = describe(call);
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

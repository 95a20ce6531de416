import { useState } from "preact/hooks";
import type { KeyState } from "../../control/record-kinds.ts";
import type { MadeKey } from "../data/client.ts";
import { titleOf } from "../data/key-words.ts";
import { usePage, useRights } from "../data/page-context.ts";
import { hashOf, replacePlace } from "../data/place.ts";
import type { Action } from "../data/rights.ts";
import { useWork } from "../data/use-work.ts";
import { closeDrawer } from "./drawer.tsx";
import { Copy, Fact, leaveQuestion, Refusal } from "./parts.tsx";

/** A button that asks one thing: a sentence, and the answers, each of which does it. */
interface Question {
  readonly button: string;
  readonly operation: Action;
  readonly text: string;
  readonly answers: readonly (readonly [words: string, act: () => Promise<unknown>])[];
}

/** How long (ms) a key that is replaced stays valid. */
const graces = [
  ["At once", 0],
  ["In an hour", 3_600_000],
  ["In a day", 86_400_000],
  ["As before", null],
] as const;

/** The buttons that change a key. Each asks at most one thing. */
export function KeyActs({ of: key }: { readonly of: KeyState }) {
  const { client, place } = usePage();
  const may = useRights();
  const work = useWork();
  const [asked, setAsked] = useState<string>();
  const { apiId, enabled, id: keyId, remaining } = key;
  const call = (operation: string, members: object) =>
    client.call<MadeKey>(operation, { keyId, ...members });
  const rotate = async (expiration: number | null) => {
    const made = await call("keys.rerollKey", { expiration });
    client.made = made;
    replacePlace(place, { open: made.keyId });
  };
  const close = () => {
    leaveQuestion();
    setAsked(undefined);
  };
  // A button that were `disabled` while it works would lose the focus.
  const start = (act: () => Promise<unknown>) =>
    work.isBusy ? Promise.resolve(false) : work.run(act);
  const isUnlimited = remaining === undefined;
  const all: readonly Question[] = [
    {
      button: "Rotate",
      operation: "keys.rerollKey",
      text: "A new key takes its place. When does this one end?",
      answers: graces.map(([words, expiration]) => [words, () => rotate(expiration)]),
    },
    {
      button: isUnlimited ? "Limit uses" : "Add uses",
      operation: "keys.updateKey",
      text: isUnlimited ? "How many uses does it get?" : "How many more uses?",
      answers: [10, 100, 1_000].map((value) => {
        const body = { operation: isUnlimited ? "set" : "increment", value };
        return [value.toLocaleString("en"), () => call("keys.updateCredits", body)];
      }),
    },
    {
      button: "Delete",
      operation: "keys.deleteKey",
      text: `Delete ${titleOf(key)}? Calls with it are refused from now on.`,
      answers: [["Delete it", () => call("keys.deleteKey", {}).then(() => closeDrawer(place))]],
    },
  ];
  const questions = all.filter(({ operation }) => may(operation, apiId));
  const question = questions.find(({ button }) => button === asked);
  const classOf = (button: string) => (button.startsWith("Delete") ? "danger" : "");
  return (
    <>
      <NewValue of={keyId} />
      <div class="acts">
        {may("keys.updateKey", apiId) && (
          <button
            type="button"
            aria-disabled={work.isBusy}
            onClick={() => void start(() => call("keys.updateKey", { enabled: !enabled }))}
          >
            {enabled ? "Disable" : "Enable"}
          </button>
        )}
        {questions.map(({ button }) => (
          <button
            key={button}
            type="button"
            class={classOf(button)}
            aria-expanded={button === asked}
            onClick={() => setAsked(button === asked ? undefined : button)}
          >
            {button}
          </button>
        ))}
      </div>
      {question !== undefined && (
        <div class="question" role="group" aria-label={question.text}>
          <p>{question.text}</p>
          <div class="acts">
            {question.answers.map(([words, act]) => (
              <button
                key={words}
                type="button"
                class={`main ${classOf(words)}`}
                aria-disabled={work.isBusy}
                onClick={() => void start(act).then((isDone) => isDone && close())}
              >
                {words}
              </button>
            ))}
            <button type="button" class="quiet" onClick={close}>
              Cancel
            </button>
          </div>
        </div>
      )}
      <Refusal lines={work.lines} />
    </>
  );
}

/** The value of the key that was made last. */
function NewValue({ of: keyId }: { readonly of: string }) {
  const { client, place } = usePage();
  const value = client.madeValue(keyId);
  if (value === undefined) return null;
  const verify = { view: "call", operation: "keys.verifyKey", open: keyId } as const;
  return (
    <div class="question new" role="status">
      <p>The new key. Copy its value now: it may not be shown again.</p>
      <code>{value}</code>
      <div class="acts">
        <Copy text={value} label="Copy the value of the new key" />
        <a href={hashOf(place, verify)}>Verify it</a>
      </div>
    </div>
  );
}

/** The value of a key. A button reads the value of a recoverable key, because it is a secret. */
export function KeyValue({ of: { id, recoverable, start } }: { readonly of: KeyState }) {
  const { client } = usePage();
  const [value, setValue] = useState<string>();
  const work = useWork();
  const show = () => void work.run(async () => setValue(await client.valueOf(id)));
  return (
    <Fact name="Value">
      <code>{value ?? (start === "" ? "not known" : `${start}…`)}</code>{" "}
      {value !== undefined && <Copy text={value} label="Copy the value" />}
      {value === undefined && recoverable === true && (
        <button type="button" class="quiet" onClick={show}>
          Show it
        </button>
      )}
      {recoverable !== true && start !== "" && <span class="soft">the rest is not kept</span>}
      <Refusal lines={work.lines} />
    </Fact>
  );
}

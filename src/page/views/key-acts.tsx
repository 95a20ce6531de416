import { useState } from "preact/hooks";
import type { KeyState } from "../../control/record-kinds.ts";
import type { MadeKey } from "../data/client.ts";
import { titleOf } from "../data/key-words.ts";
import { usePage, useRights } from "../data/page-context.ts";
import { hashOf, replacePlace } from "../data/place.ts";
import { useWork } from "../data/use-work.ts";
import { closeDrawer } from "./drawer.tsx";
import { Ask, Copy, Fact, Refusal } from "./parts.tsx";

/** How long (ms) a key that is replaced stays valid. */
const graces = [
  ["At once", 0],
  ["In an hour", 3_600_000],
  ["In a day", 86_400_000],
  ["As before", null],
] as const;

/** The buttons that change a key. Each asks at most one question. */
export function KeyActs({ of: key }: { readonly of: KeyState }) {
  const { client, place } = usePage();
  const may = useRights();
  const work = useWork();
  const { apiId, enabled, id: keyId, remaining } = key;
  const call = (operation: string, members: object) =>
    client.call<MadeKey>(operation, { keyId, ...members });
  const rotate = async (expiration: number | null) => {
    const made = await call("keys.rerollKey", { expiration });
    client.made = made;
    replacePlace(place, { open: made.keyId });
  };
  const isUnlimited = remaining === undefined;
  const add = (value: number) =>
    call("keys.updateCredits", { operation: isUnlimited ? "set" : "increment", value });
  const toggle = () => work.run(() => call("keys.updateKey", { enabled: !enabled }));
  return (
    <>
      <NewValue of={keyId} />
      <div class="acts">
        {may("keys.updateKey", apiId) && (
          <button type="button" aria-disabled={work.isBusy} onClick={() => work.isBusy || toggle()}>
            {enabled ? "Disable" : "Enable"}
          </button>
        )}
        {may("keys.rerollKey", apiId) && (
          <Ask
            button="Rotate"
            text="A new key takes its place. When does this one end?"
            answers={graces.map(([words, expiration]) => [words, () => rotate(expiration)])}
          />
        )}
        {may("keys.updateKey", apiId) && (
          <Ask
            button={isUnlimited ? "Limit uses" : "Add uses"}
            text={isUnlimited ? "How many uses does it get?" : "How many more uses?"}
            answers={[10, 100, 1_000].map((value) => [
              value.toLocaleString("en"),
              () => add(value),
            ])}
          />
        )}
        {may("keys.deleteKey", apiId) && (
          <Ask
            button="Delete"
            text={`Delete ${titleOf(key)}? Calls with it are refused from now on.`}
            answers={[
              ["Delete it", () => call("keys.deleteKey", {}).then(() => closeDrawer(place))],
            ]}
            isDangerous
          />
        )}
      </div>
      <Refusal lines={work.lines} />
    </>
  );
}

/** The value of the key that was created last. */
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

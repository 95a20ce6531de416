import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { shortToken, TOKEN } from "../data/token.ts";
import type { Tokens } from "../data/connection.ts";
import { Refusal } from "./parts.tsx";

const TOKEN_OF_COPY =
  "Each token has its own copy of the workspace: enter the token that your client or test sends.";
const TOKEN_GIVEN =
  "The emulator printed one when it started. If its fixture lists no token, any works.";
const CONTROL_OF_DEFAULT =
  "With a control token, the page controls the default workspace, not the copy of the token above.";
const CONTROL_GIVEN =
  "Needed only if the token above may not control the emulator. It was printed at the start, or set with --control-token.";

interface TokenDialogProps {
  readonly isIsolated: boolean;
  /** The tokens that the page sends now. */
  readonly sent: Tokens;
  /** Why another token is needed. */
  readonly lines: readonly string[];
  readonly onChoose: (tokens: Tokens) => void;
  readonly onClose: () => void;
}

/** Lets the user choose the tokens that the page sends. A modal dialog; Escape closes it. */
export function TokenDialog({ isIsolated, lines, onChoose, onClose, sent }: TokenDialogProps) {
  const [token, setToken] = useState("");
  const [control, setControl] = useState(sent.controlToken ?? "");
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      // The page cannot take the focus before this dialog is gone from it.
      if (opener instanceof HTMLElement) queueMicrotask(() => opener.focus());
    };
  }, []);
  const isChanged = token !== "" || control !== (sent.controlToken ?? "");
  const field = (label: string, set: (text: string) => void, hint: string, given: object) => (
    <>
      <label class="field">
        {label}
        <input
          {...given}
          pattern={TOKEN}
          title="1 to 512 visible ASCII characters"
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => set(currentTarget.value.trim())}
        />
      </label>
      <p class="soft">{hint}</p>
    </>
  );
  return (
    <dialog ref={dialog} aria-labelledby="token-title" onClose={onClose}>
      <form
        class="form"
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isChanged) return;
          onChoose({ token: token || sent.token, controlToken: control || undefined });
        }}
      >
        <h2 id="token-title">Token</h2>
        <Refusal lines={lines} />
        {field("Token of your client", setToken, isIsolated ? TOKEN_OF_COPY : TOKEN_GIVEN, {
          value: token,
          placeholder: shortToken(sent.token),
        })}
        {field("Control token", setControl, isIsolated ? CONTROL_OF_DEFAULT : CONTROL_GIVEN, {
          value: control,
          type: "password",
        })}
        <div class="acts">
          <button type="submit" class="main" disabled={!isChanged}>
            Use these tokens
          </button>
          <button type="button" onClick={onClose}>
            Close
          </button>
        </div>
      </form>
    </dialog>
  );
}

import { useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";
import { Refusal } from "./refusal.tsx";
import { shortToken, TOKEN, usedTokens, type Tokens } from "../data/token.ts";

interface TokenDialogProps {
  readonly isIsolated: boolean;
  /** What the page sends so far. */
  readonly sent: Tokens;
  /** Why another token is needed. */
  readonly lines: readonly string[];
  readonly onChoose: (tokens: Tokens) => void;
  readonly onClose: () => void;
}

/** Asks which tokens to call the emulator with. */
export function TokenDialog({ isIsolated, lines, onChoose, onClose, sent }: TokenDialogProps) {
  const [token, setToken] = useState("");
  const [control, setControl] = useState(sent.controlToken ?? "");
  const choose = (chosen: string) => {
    onChoose({ token: chosen, controlToken: control === "" ? undefined : control });
  };
  const isChanged = token !== "" || control !== (sent.controlToken ?? "");
  return (
    <Dialog title="Token" onClose={onClose}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged) choose(token === "" ? sent.token : token);
        }}
      >
        <Refusal lines={lines} />
        <p class="hint">
          {isIsolated
            ? "Each token has a copy of its own: take the one that your client or test sends."
            : "The one to use was printed where the emulator was started. Where none is listed, any will do."}
        </p>
        <div class="field wide">
          <label for="token">Bearer token</label>
          <input
            id="token"
            pattern={TOKEN}
            title="1 to 512 visible ASCII characters"
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value.trim())}
            autocomplete="off"
            spellcheck={false}
          />
        </div>
        <div class="field wide">
          <label for="control-token">Control token</label>
          <input
            id="control-token"
            type="password"
            pattern={TOKEN}
            title="1 to 512 visible ASCII characters"
            value={control}
            onInput={({ currentTarget }) => setControl(currentTarget.value.trim())}
            autocomplete="off"
          />
        </div>
        <p class="hint">
          {isIsolated
            ? "With a control token, the page steers the first workspace, and not that of the token above."
            : "Only where the token above may not steer. It was printed at the start, or given there with --control-token."}
        </p>
        {usedTokens().length > 0 && (
          <p class="buttons">
            <span class="dim">used before</span>
            {usedTokens().map((used) => (
              <button key={used} type="button" onClick={() => choose(used)}>
                {shortToken(used)}
              </button>
            ))}
          </p>
        )}
        <footer>
          <button type="submit" class="main" disabled={!isChanged}>
            Use it
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

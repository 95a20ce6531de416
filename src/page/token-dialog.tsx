import { useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";
import { Refusal } from "./refusal.tsx";
import { shortToken, TOKEN, usedTokens } from "./token.ts";

interface TokenDialogProps {
  readonly isIsolated: boolean;
  /** Why another token is needed. */
  readonly lines: readonly string[];
  readonly onChoose: (token: string) => void;
  readonly onClose: () => void;
}

/** Asks which token to call the emulator with. */
export function TokenDialog({ isIsolated, lines, onChoose, onClose }: TokenDialogProps) {
  const [token, setToken] = useState("");
  return (
    <Dialog title="Token" onClose={onClose}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (token !== "") onChoose(token);
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
        {usedTokens().length > 0 && (
          <p class="buttons">
            <span class="dim">used before</span>
            {usedTokens().map((used) => (
              <button key={used} type="button" onClick={() => onChoose(used)}>
                {shortToken(used)}
              </button>
            ))}
          </p>
        )}
        <footer>
          <button type="submit" class="main" disabled={token === ""}>
            Use it
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

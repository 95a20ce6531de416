import { useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";
import { Refusal } from "./refusal.tsx";
import { shortToken, TOKEN, usedTokens, type Tokens } from "../data/token.ts";

/** Attributes of both inputs. */
const tokenInput = {
  pattern: TOKEN,
  title: "1 to 512 visible ASCII characters",
  autocomplete: "off",
  spellcheck: false,
} as const;

interface TokenDialogProps {
  readonly isIsolated: boolean;
  /** The tokens that the page sends now. */
  readonly sent: Tokens;
  /** Why another token is needed. */
  readonly lines: readonly string[];
  readonly onChoose: (tokens: Tokens) => void;
  readonly onClose: () => void;
}

/** Lets the user choose the tokens that the page sends. */
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
            ? "Each token has its own copy of the workspace: enter the token that your client or test sends."
            : "The emulator printed a token when it started. If no token is listed, any works."}
        </p>
        <div class="field wide">
          <label for="token">Bearer token</label>
          <input
            id="token"
            {...tokenInput}
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value.trim())}
          />
        </div>
        <div class="field wide">
          <label for="control-token">Control token</label>
          <input
            id="control-token"
            type="password"
            {...tokenInput}
            value={control}
            onInput={({ currentTarget }) => setControl(currentTarget.value.trim())}
          />
        </div>
        <p class="hint">
          {isIsolated
            ? "With a control token, the page controls the default workspace, not the copy of the token above."
            : "Only needed if the token above may not use control routes. It was printed at the start, or set with --control-token."}
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
            Use these tokens
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

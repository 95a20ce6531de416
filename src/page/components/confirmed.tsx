import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLeftFocus } from "../data/use-left-focus.ts";
import { Dialog } from "./dialog.tsx";

interface ConfirmedProps {
  /** The text of the button. */
  readonly text: string;
  readonly class?: string;
  /** The question, and the text of the button that answers yes. */
  readonly question: string;
  readonly answer: string;
  readonly onConfirm: () => void;
  /** What would be removed. */
  readonly children: ComponentChildren;
}

/** A button that asks first, because what it does cannot be undone. */
export function Confirmed(props: ConfirmedProps) {
  const { answer, children, class: kind = "", onConfirm, question, text } = props;
  const [isAsking, setAsking] = useState(false);
  const close = () => setAsking(false);
  const button = useLeftFocus<HTMLButtonElement>();
  return (
    <>
      <button
        type="button"
        ref={button}
        class={`${kind} danger`.trim()}
        onClick={() => setAsking(true)}
      >
        {text}
      </button>
      {isAsking && (
        <Dialog title={question} dismiss="Cancel" onClose={close}>
          <p>{children}</p>
          <footer>
            <button
              type="button"
              class="main danger"
              onClick={() => {
                close();
                onConfirm();
              }}
            >
              {answer}
            </button>
          </footer>
        </Dialog>
      )}
    </>
  );
}

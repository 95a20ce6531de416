import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useWork } from "../data/use-work.ts";

/** A line for each problem. Nothing without a problem. */
export function Refusal({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div class="refusal" role="alert">
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}

interface CopyProps {
  /** Without a text there is no button. */
  readonly text: string | undefined;
  /** The text of the button. Default: `Copy`. */
  readonly what?: string;
  /** Names the copied text for a screen reader. Default: `what`. */
  readonly label?: string;
}

/** A button that copies a text, and shows for a moment whether that worked. */
export function Copy({ label, text, what = "Copy" }: CopyProps) {
  const [result, setResult] = useState<string>();
  if (text === undefined) return null;
  const copy = async () => {
    try {
      // Without HTTPS, browsers offer a clipboard only to pages of this machine.
      await navigator.clipboard.writeText(text);
      setResult("Copied");
    } catch {
      setResult("Not allowed");
    }
    setTimeout(() => setResult(undefined), 1_500);
  };
  return (
    <button type="button" class="quiet" aria-label={result ?? label} onClick={copy}>
      {result ?? what}
    </button>
  );
}

interface TextProps {
  readonly label: string;
  /** Without a text nothing is shown. */
  readonly text: string | undefined;
  /** Whether the text replaces a longer one. Then it cannot be copied. */
  readonly isShort?: boolean | undefined;
}

/** A text of several lines with a button that copies it. */
export function Snippet({ isShort = false, label, text }: TextProps) {
  if (text === undefined) return null;
  return (
    <figure class="snippet">
      <figcaption>
        {label}{" "}
        {isShort ? (
          <span>shortened: the journal does not keep the body</span>
        ) : (
          <Copy text={text} label={`Copy: ${label}`} />
        )}
      </figcaption>
      {/* The tabIndex lets keyboard users scroll wide content. */}
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
    </figure>
  );
}

/** A value as JSON. */
export function Json({ value, ...about }: Omit<TextProps, "text"> & { readonly value: unknown }) {
  return <Snippet {...about} text={JSON.stringify(value, undefined, 2) ?? "nothing"} />;
}

interface MeterProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
}

/** How much of something is left, as a bar. */
export function Meter({ label, max, value }: MeterProps) {
  const share = max <= 0 ? 0 : Math.min(Math.max(value / max, 0), 1);
  const numbers = { "aria-valuemin": 0, "aria-valuemax": max, "aria-valuenow": value };
  return (
    <span class={share < 0.2 ? "meter low" : "meter"} role="meter" aria-label={label} {...numbers}>
      <span style={{ width: `${100 * share}%` }} />
    </span>
  );
}

/** A line of a list of facts. */
export function Fact({ children, name }: Readonly<{ name: string; children: ComponentChildren }>) {
  return (
    <>
      <dt title={name}>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** The members of `meta` as lines, like `plan: pro`. */
export function MetaFact({ meta = {} }: { readonly meta: object | undefined }) {
  const members = Object.entries(meta);
  if (members.length === 0) return null;
  return (
    <Fact name="Extra data">
      {members.map(([name, value]) => (
        <div key={name}>
          <span class="soft">{name}</span>{" "}
          <bdi>{typeof value === "string" ? value : JSON.stringify(value)}</bdi>
        </div>
      ))}
    </Fact>
  );
}

/** A name that a person chose, cut to fit. Its title has the whole name. */
export function Name({ of }: { readonly of: string | undefined }) {
  return (
    <bdi class="one may-cut" title={of}>
      {of}
    </bdi>
  );
}

interface AskProps {
  /** The text of the button. */
  readonly button: string;
  readonly text: string;
  /** The answers, each with its effect. */
  readonly answers: readonly (readonly [words: string, act: () => Promise<unknown>])[];
  readonly isDangerous?: boolean;
  /** Whether there is nothing to ask. */
  readonly isIdle?: boolean;
}

/** A button that asks before it does something. The question is below the row of buttons. */
export function Ask({ answers, button, isDangerous = false, isIdle = false, text }: AskProps) {
  const [isOpen, setOpen] = useState(false);
  const [opener, place] = [useRef<HTMLButtonElement>(null), useRef<HTMLDivElement>(null)];
  const work = useWork();
  const tone = isDangerous ? "danger" : "";
  useLayoutEffect(() => place.current?.focus(), [isOpen]);
  const close = () => {
    if (place.current?.contains(document.activeElement)) opener.current?.focus();
    setOpen(false);
  };
  return (
    <>
      <button
        ref={opener}
        type="button"
        class={tone}
        aria-expanded={isOpen}
        aria-disabled={isIdle}
        onClick={() => setOpen(!isOpen && !isIdle)}
      >
        {button}
      </button>
      {isOpen && (
        <div ref={place} class="question" role="group" aria-label={text} tabIndex={-1}>
          <p>{text}</p>
          <div class="acts">
            {answers.map(([words, act]) => (
              <button
                key={words}
                type="button"
                class={`main ${tone}`}
                // Not `disabled`, because the button would lose the focus.
                aria-disabled={work.isBusy}
                onClick={() => {
                  if (!work.isBusy) void work.run(act).then((isDone) => isDone && close());
                }}
              >
                {words}
              </button>
            ))}
            <button type="button" class="quiet" onClick={close}>
              Cancel
            </button>
          </div>
          <Refusal lines={work.lines} />
        </div>
      )}
    </>
  );
}

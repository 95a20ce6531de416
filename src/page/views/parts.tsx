import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** Why something did not work, a line for each problem. Nothing without a problem. */
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
  /** What the button says. Default: `Copy`. */
  readonly what?: string;
  /** Tells a screen reader which text is copied. Default: `what`. */
  readonly label?: string;
}

/** A button that copies a text, and shows for a moment whether that worked. */
export function Copy({ label, text, what = "Copy" }: CopyProps) {
  const [told, setTold] = useState<string>();
  if (text === undefined) return null;
  const copy = async () => {
    try {
      // Without HTTPS, browsers offer a clipboard only to pages of this machine.
      await navigator.clipboard.writeText(text);
      setTold("Copied");
    } catch {
      setTold("Not allowed");
    }
    setTimeout(() => setTold(undefined), 1_500);
  };
  return (
    <button type="button" class="quiet" aria-label={told ?? label} onClick={copy}>
      {told ?? what}
    </button>
  );
}

interface TextProps {
  readonly label: string;
  /** Without a text nothing is shown. */
  readonly text: string | undefined;
}

/** A text of several lines with a button that copies it. */
export function Snippet({ label, text }: TextProps) {
  if (text === undefined) return null;
  return (
    <figure class="snippet">
      <figcaption>
        {label} <Copy text={text} label={`Copy: ${label}`} />
      </figcaption>
      {/* The tabIndex lets keyboard users scroll wide content. */}
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
    </figure>
  );
}

/** A value as JSON. */
export function Json({ label, value }: { readonly label: string; readonly value: unknown }) {
  return <Snippet label={label} text={JSON.stringify(value, undefined, 2) ?? "nothing"} />;
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

interface FactProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

/** A line of a list of facts. */
export function Fact({ children, name }: FactProps) {
  return (
    <>
      <dt>{name}</dt>
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

/** Gives the focus back to the button that asked a question, before the question disappears. */
export function leaveQuestion(): void {
  const question = document.querySelector(".question:focus-within");
  question?.parentElement?.querySelector<HTMLElement>("[aria-expanded=true]")?.focus();
}

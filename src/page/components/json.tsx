import { useState } from "preact/hooks";

/** Matches a member name with its colon, a string, or another value that is no object or array. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

/** Shows a value as coloured JSON with a copy button. Strings are inserted as text, never as HTML. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = value === undefined ? "nothing" : JSON.stringify(value, undefined, 2);
  return (
    <figure class="json">
      <figcaption>
        {label}
        <Copy text={text} />
      </figcaption>
      {/* The tabIndex lets keyboard users scroll wide content. */}
      <pre tabIndex={0} aria-label={label}>
        {colored(text)}
      </pre>
    </figure>
  );
}

function colored(text: string) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon = ""] = match;
    parts.push(text.slice(end, match.index));
    if (string === undefined) parts.push(<span class="value">{whole}</span>);
    else parts.push(<span class={colon === "" ? "text" : "name"}>{string}</span>, colon);
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}

/** A button that copies a text, and shows for a moment whether that worked. */
export function Copy({ text, what = "Copy" }: { readonly text: string; readonly what?: string }) {
  const [label, setLabel] = useState(what);
  const copy = async () => {
    try {
      // Without HTTPS, browsers offer a clipboard only to pages of this machine.
      await navigator.clipboard.writeText(text);
      setLabel("Copied");
    } catch {
      setLabel("Not allowed");
    }
    setTimeout(() => setLabel(what), 1_500);
  };
  return (
    <button type="button" class="quiet" onClick={copy}>
      {label}
    </button>
  );
}

import { useState } from "preact/hooks";

/** A name with its colon, a text, or another value that is not an object or array. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

/** JSON to read and to copy. What stands in it is text, whatever it looks like. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = value === undefined ? "nothing" : JSON.stringify(value, undefined, 2);
  return (
    <figure class="json">
      <figcaption>
        {label}
        <Copy text={text} />
      </figcaption>
      {/* What is wider than its place scrolls, with the keyboard too. */}
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

/** Copies a text, and says so. */
export function Copy({ text, what = "Copy" }: { readonly text: string; readonly what?: string }) {
  const [told, tell] = useState(what);
  const copy = async () => {
    try {
      // There is none where the host is not this machine.
      await navigator.clipboard.writeText(text);
      tell("Copied");
    } catch {
      tell("Not allowed");
    }
    setTimeout(() => tell(what), 1_500);
  };
  return (
    <button type="button" class="quiet" onClick={copy}>
      {told}
    </button>
  );
}

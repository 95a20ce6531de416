/** Tells what went wrong, a line for each thing. Nothing of it, nothing to see. */
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

/** With more lines than this, it scrolls in a dialog. Keyboard users then need to focus it. */
const FEW = 4;

/** Shows problems, a line each. Renders nothing without problems. */
export function Refusal({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div class="refusal" role="alert" tabIndex={lines.length > FEW ? 0 : undefined}>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}

interface HintProps {
  readonly id?: string;
  readonly text?: string | undefined;
}

/** A description, with text between backticks as code. */
export function Hint({ id, text = "" }: HintProps) {
  return (
    <p class="hint" id={id}>
      {text
        .split("`")
        .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </p>
  );
}

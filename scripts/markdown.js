/** The first line of a page that nobody should edit. */
export const GENERATED = "<!-- Written by `npm run gen`. Change what it is made of instead. -->";

/** A table; columns that are empty in every row are left out. */
export function table(head, rows) {
  const used = head.map((_, column) => rows.some((row) => row[column]));
  const lines = [head, ...rows].map((row) =>
    row
      .filter((_, column) => used[column])
      .map((text) => String(text ?? "").replaceAll("|", "\\|")),
  );
  const widths = lines[0].map((_, column) =>
    Math.max(...lines.map((line) => [...line[column]].length)),
  );
  const [first, ...others] = lines.map((line) => toLine(line, widths));
  return [
    first,
    toLine(
      widths.map((width) => "-".repeat(width)),
      widths,
    ),
    ...others,
  ].join("\n");
}

function toLine(cells, widths) {
  const padded = cells.map((text, column) => text.padEnd(widths[column]));
  return `| ${padded.join(" | ")} |`;
}

export function code(text) {
  return `\`${text}\``;
}

export function capital(text) {
  return text.replace(/^./u, (first) => first.toUpperCase());
}

export function sentence(text) {
  return `${capital(text)}${text.endsWith(".") ? "" : "."}`;
}

/** A page of these parts, as an editor leaves it. */
export function page(...parts) {
  return `${parts.flat(Infinity).filter(Boolean).join("\n\n")}\n`;
}

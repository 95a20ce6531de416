// Tables for the terminal and for results.md.

export function table(title, { columns, note = "", rows }) {
  return { title, columns, note, rows };
}

/** A table in Markdown, aligned so that it is readable as plain text. */
export function toText({ columns, note, rows, title }) {
  const lines = [columns, ...rows].map((cells) => cells.map(String));
  const widths = columns.map((_, index) =>
    Math.max(3, ...lines.map((cells) => cells[index].length)),
  );
  const toLine = (cells) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index])).join(" | ")} |`;
  const [head, ...body] = lines.map(toLine);
  const rule = toLine(widths.map((width) => "-".repeat(width)));
  return [`## ${title}`, ...(note === "" ? [] : [note]), [head, rule, ...body].join("\n")].join(
    "\n\n",
  );
}

export function number(value) {
  return Math.round(value).toLocaleString("en");
}

/** A median with the minimum and maximum in brackets. */
export function withSpread({ max, median, min }, show) {
  return `${show(median)} (${show(min)}–${show(max)})`;
}

// Reads the sections of CHANGELOG.md.

/**
 * The sections in their order: the title, the version and the date in the title if it has them, and
 * the text below it.
 */
export function toSections(text) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = "", ...lines] = part.split("\n");
      const [, version, date] = /^\[?([^\s\]]+)\]?(?: - (\S+))?\s*$/.exec(title) ?? [];
      return { title: title.trim(), version, date, text: lines.join("\n").trim() };
    });
}

/** Whether a section has at least one list item. */
export function saysSomething({ text }) {
  return /^\s*[-*] +\S/m.test(text);
}

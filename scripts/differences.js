// The page of known differences: the quirks, and what the records of decisions list.
import { capital, code, GENERATED, page, sentence, table } from "./markdown.js";

const HEADING = "## Differences from the service";
const DIFFERENCE = /^- \*\*(.+?)\*\*: the service (.+?); latchkey (.+)$/;

/** The page; `records` are the records of decisions, with their names. */
export function differencesPage({ quirks, withoutQuirk }, records) {
  return page(
    GENERATED,
    "# Known differences from the service",
    "latchkey does what the service's interface says, and, where that is silent, what the service's last public version did. [Decision 2](decisions/0002-documented-behaviour-and-quirks.md) tells why. Here is where the two part.",
    "## With a quirk",
    "The live service was at odds with its interface here. `--quirk <name>`, or `quirks` of `createEmulator`, brings its side back: see [quirks](steering.md#quirks).",
    table(
      ["quirk", "the live service", "latchkey, unless it is asked for"],
      Object.keys(quirks).map((name) => [
        code(name),
        sentence(quirks[name]),
        sentence(withoutQuirk[name]),
      ]),
    ),
    "## Without a quirk",
    "These are decided, and there is nothing to switch.",
    table(
      ["what", "the service", "latchkey", "why"],
      records.flatMap(differencesIn).map((row) => row.map(fromHere)),
    ),
  );
}

/** @throws for a line of a list that has another form, which would be lost */
function differencesIn({ name, text }) {
  const [, section] = text.split(`\n${HEADING}\n`);
  if (section === undefined) return [];
  const [list] = section.split(/\n## /);
  const [, number] = /^# (\d+)\./.exec(text);
  return list
    .trim()
    .split("\n")
    .map((line) => {
      const [, subject, service, latchkey] = DIFFERENCE.exec(line) ?? [];
      if (latchkey === undefined)
        throw new Error(`${name}: ${HEADING}: expected ${DIFFERENCE}, got ${line}`);
      const record = `[decision ${number}](decisions/${name})`;
      return [capital(subject), sentence(service), sentence(latchkey), record];
    });
}

/** Links of a record, as they lead from the page. */
function fromHere(text) {
  return text.replaceAll("](../", "](");
}

// The page of known differences: the quirks, and what the records of decisions list.
import { capital, code, GENERATED, page, sentence, table } from "./markdown.js";

const HEADING = "## Differences from the service";
const DIFFERENCE = /^- \*\*(.+?)\*\*: the service (.+?); latchkey (.+)$/;

/** What latchkey does where a quirk is not asked for. */
const withoutQuirk = {
  "validate-first":
    "authentication comes before validation: a bad body without a token is answered 401",
  "unauthorized-403":
    "a missing or unknown token is answered 401, with the challenge `WWW-Authenticate: Bearer`",
  "plain-404":
    "an unknown route is answered 404 in the error envelope, a trailing slash too, with a message that says what is missing; a wrong method 405 with `Allow`",
  "trailing-cursor": "a cursor comes exactly when more keys follow",
  "plain-cursor": "the cursor is opaque, and one that no page could have returned is answered 400",
  "zero-total": "the total of a list is the number of keys of the API, whatever the filter",
  "truthy-strings":
    "both read true, false, 1, 0, null and the empty string, in any case; anything else is answered 400",
  "extra-fields": "listed keys carry the members that the interface names, and no others",
  "async-false": "async is true for a rate limit of the type fast, and false for consistent",
  "stale-list": "every list is read when it is asked for: a new key is in the next one",
};

/** The page; `records` are the records of decisions, with their names. */
export function differencesPage({ quirks }, records) {
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

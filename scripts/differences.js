// Makes the page of known differences, from the quirks and the lists in the decision records.
import { capital, code, GENERATED, page, sentence, table } from "./markdown.js";

const HEADING = "## Differences from the service";
const DIFFERENCE = /^- \*\*(.+?)\*\*: the service (.+?); latchkey (.+)$/;

/** The behaviour of latchkey without each quirk. */
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
  "stale-list": "every list is up to date: a new key is in the next one",
};

/** The text of the page; `records` are the decision records as `{ name, text }`. */
export function differencesPage({ quirks }, records) {
  return page(
    GENERATED,
    "# Known differences from the service",
    "latchkey does what the service's interface says. Where the interface says nothing, latchkey does what the service's last public version did. [Decision 2](decisions/0002-documented-behaviour-and-quirks.md) gives the reasons. This page lists where latchkey and the service differ.",
    "## With a quirk",
    "Here the live service did not do what its interface says. `--quirk <name>`, or `quirks` of `createEmulator`, brings the behaviour of the live service back: see [quirks](steering.md#quirks).",
    table(
      ["quirk", "the live service", "latchkey without the quirk"],
      Object.keys(quirks).map((name) => [
        code(name),
        sentence(quirks[name]),
        sentence(withoutQuirk[name]),
      ]),
    ),
    "## Without a quirk",
    "These differences are always there.",
    table(
      ["what", "the service", "latchkey", "why"],
      records.flatMap(differencesIn).map((row) => row.map(fromHere)),
    ),
  );
}

/** @throws Error for a line of the list in another form, because it would be missing from the page */
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

/** Makes the links of a record relative to the page, which is one folder up. */
function fromHere(text) {
  return text.replaceAll("](../", "](");
}

// Makes the page of known differences, from the quirks and the lists in the decision records.
import { capital, code, GENERATED, page, sentence, table } from "./markdown.js";

const HEADING = "## Differences from the service";
const UNVERIFIED = "## Unverified";
const DIFFERENCE = /^- \*\*(.+?)\*\*: the service (.+?); latchkey (.+)$/;
const ASSUMPTION = /^- \*\*(.+?)\*\*: latchkey (.+)$/;
/** Under the heading, a list without one of these headings is about every version. */
const VERSION = /^### In (v\d+)$/;
const EVERY = "every version";

/** For each quirk, the versions in which it changes something, and the behaviour without it. */
const quirkNotes = {
  "validate-first": {
    versions: ["v1"],
    without: "authentication comes before validation: a bad body without a token is answered 401",
  },
  "unauthorized-403": {
    versions: ["v1"],
    without:
      "a missing or unknown token is answered 401, with the challenge `WWW-Authenticate: Bearer`",
  },
  "plain-404": {
    versions: ["v1", "v2"],
    without:
      "an unknown route is answered 404 in the envelope of its version, with a message that names the closest operation; a wrong method 405 with `Allow`",
  },
  "trailing-cursor": {
    versions: ["v1"],
    without: "a cursor comes exactly when more keys follow",
  },
  "plain-cursor": {
    versions: ["v1"],
    without: "the cursor is opaque, and one that no page could have returned is answered 400",
  },
  "zero-total": {
    versions: ["v1"],
    without: "the total of a list is the number of keys of the API, whatever the filter",
  },
  "truthy-strings": {
    versions: ["v1"],
    without:
      "both read true, false, 1, 0, null and the empty string, in any case; anything else is answered 400",
  },
  "extra-fields": {
    versions: ["v1"],
    without: "listed keys carry the members that the interface names, and no others",
  },
  "async-false": {
    versions: ["v1"],
    without: "async is true for a rate limit of the type fast, and false for consistent",
  },
  "random-ids": {
    versions: ["v1", "v2"],
    without:
      "each id is greater than the one before, so lists are in the order in which keys were created",
  },
  "stale-list": {
    versions: ["v1"],
    without: "every list is up to date: a new key is in the next one",
  },
  "cached-verifications": {
    versions: ["v2"],
    without: "each verification reads the key as it is: a change holds from the next one on",
  },
};

/** @throws Error for a quirk without a note, because the pages would not explain it */
function noteOf(name) {
  const note = quirkNotes[name];
  if (note === undefined) {
    throw new Error(`${name}: expected an entry in quirkNotes of scripts/differences.js`);
  }
  return note;
}

/** The versions in which a quirk changes something, for a cell of a table. */
export function quirkVersions(name) {
  return noteOf(name).versions.join(", ");
}

/** The text of the page; `records` are the decision records as `{ name, text }`. */
export function differencesPage({ quirks, versionNames }, records) {
  const differences = records.flatMap((record) => differencesIn(record, versionNames));
  return page(
    GENERATED,
    "# Known differences from the service",
    "latchkey follows the service's published interface, and where that says nothing, its public source. In v2 the source comes first, because the public clients follow it. Decisions [2](decisions/0002-documented-behaviour-and-quirks.md) and [3](decisions/0003-how-facts-are-sourced.md) give the reasons. This page lists the differences between latchkey and the service.",
    "## Without a quirk",
    "These differences are always there. A client notices these first: latchkey serves fewer operations, accepts every token until one is listed, has no caches, moves its clock only as you say, and adds the header `X-Latchkey-Hint`.",
    [EVERY, ...versionNames.toReversed()].map((version) => [
      `### In ${version}`,
      table(
        ["subject", "the service", "latchkey", "decision"],
        differences.filter((row) => row.version === version).map(({ cells }) => cells),
      ),
    ]),
    "## With a quirk",
    "Here the live service contradicts its interface, or hardly any test wants its behaviour. `--quirk <name>`, or `quirks` of `createEmulator`, brings that behaviour back: see [quirks](control.md#quirks).",
    table(
      ["quirk", "version", "the live service", "latchkey without the quirk"],
      Object.keys(quirks).map((name) => [
        code(name),
        quirkVersions(name),
        sentence(quirks[name]),
        sentence(noteOf(name).without),
      ]),
    ),
    UNVERIFIED,
    "Here the sources leave a doubt about the service. latchkey may differ from it.",
    table(["subject", "latchkey", "decision"], records.flatMap(assumptionsIn)),
  );
}

/** @throws Error for a line in another form, because it would be missing from the page */
function differencesIn({ name, text }, versionNames) {
  let version = EVERY;
  return linesUnder(HEADING, text).flatMap((line) => {
    const [, named] = VERSION.exec(line) ?? [];
    if (versionNames.includes(named)) {
      version = named;
      return [];
    }
    const [, subject, service, latchkey] = DIFFERENCE.exec(line) ?? [];
    if (latchkey === undefined) throw new Error(`${name}: expected ${DIFFERENCE}, got ${line}`);
    return [{ version, cells: cellsOf({ name, text }, subject, service, latchkey) }];
  });
}

/** @throws Error for a line in another form */
function assumptionsIn({ name, text }) {
  return linesUnder(UNVERIFIED, text).map((line) => {
    const [, subject, latchkey] = ASSUMPTION.exec(line) ?? [];
    if (latchkey === undefined) throw new Error(`${name}: expected ${ASSUMPTION}, got ${line}`);
    return cellsOf({ name, text }, subject, latchkey);
  });
}

/** The lines of a list in a record; none if it has no such heading. */
function linesUnder(heading, text) {
  const [, section = ""] = text.split(`\n${heading}\n`);
  const [list] = section.split(/\n## /);
  return list.split("\n").filter((line) => line !== "");
}

function cellsOf({ name, text }, subject, ...clauses) {
  const [, number] = /^# (\d+)\./.exec(text);
  const record = `[${number}](decisions/${name})`;
  return [capital(subject), ...clauses.map(sentence).map(fromHere), record];
}

/** Makes the links of a record relative to the page, which is one folder up. */
function fromHere(text) {
  return text.replaceAll("](../", "](");
}

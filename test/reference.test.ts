import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const names = (await readdir("docs")).filter((name) => name.startsWith("reference"));
const texts = await Promise.all(names.map((name) => readFile(`docs/${name}`, "utf8")));
/** The lines of all pages of the reference. */
const lines = texts.flatMap((text) => text.split("\n"));

test.each([
  [
    "an option",
    "`-p`, `--port`",
    "integer, 0 to 65535",
    "4010",
    "`LATCHKEY_PORT`, `PORT`",
    "`port`",
  ],
  ["an option that is on by default", "`--ui`", "| true "],
  ["a member of a body", "`name`", "text, up to 256 characters"],
  ["a member of a member of a body", "`refill.interval`", "yes", '`"daily"`, `"monthly"`'],
  ["a member of a listed key", "`keys[].identity.id`", "yes", "text"],
  ["a text of v2", "`externalId`", "text, 1 to 255 characters, that fits `^[a-zA-Z0-9_.-]+$`"],
  ["a list of v2", "`ratelimits`", "list, up to 50: object"],
  ["a member that may be null", "`credits.remaining`", "integer, 0 or more, or null"],
  ["a member of a listed key of v2", "`data[].credits.remaining`", "yes", "integer, 0 or more"],
  ["a parameter", "`limit`", "integer, 1 to 100", "Default: 100."],
  [
    "a control route",
    "`PUT /_latchkey/clock`",
    "[ClockChange](#clockchange)",
    "200 [Clock](#clock)",
  ],
  ["a list of a fixture", "`permissions`", "list: text, 1 to 512 characters, or object"],
  ["a member of a fault", "`code`", "an [error code](reference-v1.md#error-codes)"],
  ["a type of a fault", "`type`", "a [problem type](reference-v2.md#problem-types)"],
  ["an error code", "`EXPIRED`", "403"],
  ["a problem type", "`unkey/data/role_not_found`", "404", "Not Found"],
  ["a quirk of one version", "`stale-list`", "| v1 "],
  ["a quirk of both versions", "`plain-404`", "| v1, v2 "],
])("the reference has a row for %s", (_, ...cells) => {
  expect(lines.filter((row) => cells.every((cell) => row.includes(cell)))).not.toEqual([]);
});

test.each(["keys.createKey in v1", "keys.verifyKey in v1", "keys.rerollKey in v2"])(
  "the reference has a section for %s",
  (name) => {
    expect(lines).toContain(`### ${name}`);
  },
);

test.each([
  ["every version", "| Tokens ", "accepts any bearer token"],
  ["v1", "| The code `RATE_LIMITED` ", "decision 2"],
  ["v2", "| The permission `*` ", "decision 12"],
  ["v2", "| `lastUsedAt` ", "decision 13"],
])("docs/differences.md lists differences in %s", async (version, ...cells) => {
  const text = await readFile("docs/differences.md", "utf8");
  const [section = ""] = text.split(`### In ${version}\n`).slice(-1);
  const [table = ""] = section.split(/\n##/);

  const rows = table.split("\n").map((row) => row.toLowerCase());
  const expected = cells.map((cell) => cell.toLowerCase());
  expect(rows.filter((row) => expected.every((cell) => row.includes(cell)))).toHaveLength(1);
});

test("docs/differences.md lists what could not be checked", async () => {
  const [, section = ""] = (await readFile("docs/differences.md", "utf8")).split("## Unverified");

  expect(section).toMatch(/\| Several violations +\| Lists all of them/);
});

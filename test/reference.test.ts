import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

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
  ["a parameter", "`limit`", "integer, 1 to 100", "Default: 100."],
  [
    "a control route",
    "`PUT /_latchkey/clock`",
    "[ClockChange](#clockchange)",
    "200 [Clock](#clock)",
  ],
  ["a list of a fixture", "`permissions`", "list: text, 1 to 512 characters, or object"],
  ["a member of a fault", "`code`", "an [error code](#error-codes)"],
  ["an error code", "`EXPIRED`", "403"],
])("docs/reference.md has a row for %s", async (_, ...cells) => {
  const rows = (await readFile("docs/reference.md", "utf8")).split("\n");

  expect(rows.filter((row) => cells.every((cell) => row.includes(cell)))).not.toEqual([]);
});

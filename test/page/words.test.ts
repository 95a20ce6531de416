import { expect, test } from "vitest";
import { gapsIn, withGaps } from "../../src/page/data/curl.ts";
import { toRelative } from "../../src/page/data/time.ts";

const NOW = Date.UTC(2026, 10, 25, 9);
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

test.each([
  [3 * DAY - 5, "in 3 days"],
  [2.4 * DAY, "in 2 days"],
  [59 * DAY, "in 2 months"],
  [29.6 * DAY, "in 1 month"],
  [59.6 * MINUTE, "in 1 hour"],
  [59.4 * MINUTE, "in 59 minutes"],
  [DAY - 1, "tomorrow"],
  [349 * DAY, "in 12 months"],
  [366 * DAY, "in 1 year"],
  [0, "now"],
  [-1.6 * SECOND, "2 seconds ago"],
  [-DAY + 5, "yesterday"],
  [-2 * HOUR + 1, "2 hours ago"],
  [-31 * DAY, "25 Oct 2026"],
] as const)("a time %i ms away is rounded to the nearest: %s", (span, words) => {
  expect(toRelative(NOW + span, NOW)).toBe(words);
});

test.each([
  [{ key: "***", tags: ["a"] }, '{"key":"<key>","tags":["a"]}', ["<key>"]],
  [
    { name: "of ***", roles: ["***"] },
    '{"name":"<name>","roles":["<text>"]}',
    ["<name>", "<text>"],
  ],
  ["(a body of 120000 bytes, which is not kept)", '"<the body>"', ["<the body>"]],
  [{ name: "<b>bold</b>" }, '{"name":"<b>bold</b>"}', []],
  [undefined, undefined, []],
])(
  "a command of a call has a gap for each text that is masked or not kept",
  (input, text, gaps) => {
    expect(withGaps(input)).toBe(text);
    expect(gapsIn(text)).toEqual(gaps);
  },
);

import fc from "fast-check";
import { expect, test } from "vitest";
import { matches, toPattern } from "../../src/state/limits/namespaces.ts";

test("a pattern matches what a regular expression with `.*` for each star does", () => {
  const text = (characters: string) =>
    fc.string({ unit: fc.constantFrom(...characters), maxLength: 8 });

  fc.assert(
    fc.property(text("ab*\n"), text("ab\n"), (pattern, tried) => {
      const expression = new RegExp(`^${pattern.replaceAll("*", "[^\n]*")}$`);
      expect(matches(toPattern(pattern), tried)).toBe(expression.test(tried));
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  ["a*a", "a", false],
  ["a*a", "aa", true],
  ["*", "", true],
  ["*", "\n", false],
  ["é*", "éa", true],
  ["(*", "(a", true],
  ["[a-z]*", "b", false],
  ["😀*", "😀", true],
])("the pattern %j and the text %j", (pattern, text, isMatch) => {
  expect(matches(toPattern(pattern), text)).toBe(isMatch);
});

test("a pattern of many stars that does not match ends", () => {
  // With a regular expression that goes back, this would take longer than any test.
  const pattern = toPattern(`${"*a".repeat(255)}*b`);

  expect(matches(pattern, "a".repeat(512))).toBe(false);
});

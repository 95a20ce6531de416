import fc from "fast-check";
import { expect, test } from "vitest";
import { matches } from "../../src/state/records/namespaces.ts";

test("a pattern matches what a regular expression with `.*` for each star does", () => {
  const text = (characters: string) =>
    fc.string({ unit: fc.constantFrom(...characters), maxLength: 8 });

  fc.assert(
    fc.property(text("ab*\né😀(["), text("ab\né😀(["), (pattern, tried) => {
      const escaped = pattern.replaceAll(/[([]/g, String.raw`\$&`);
      const expression = new RegExp(`^${escaped.replaceAll("*", "[^\n]*")}$`);
      expect(matches(pattern.split("*"), tried)).toBe(expression.test(tried));
    }),
    { numRuns: 5_000 },
  );
});

test("a pattern of many stars that does not match ends", () => {
  // With a regular expression that goes back, this would take longer than any test.
  const pattern = `${"*a".repeat(255)}*b`.split("*");

  expect(matches(pattern, "a".repeat(512))).toBe(false);
});

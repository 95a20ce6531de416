import { describe } from "vitest";
import { versions } from "./_keys.ts";
import {
  createMistakes,
  creating,
  listing,
  listMistakes,
  migrateMistakes,
  migrating,
} from "./_mistakes.ts";
import { testOrderOfChecks } from "./_order-of-checks.ts";

describe.each(versions)("the order of checks in %s", (version) => {
  testOrderOfChecks(version, () => creating(version), createMistakes[version]);
  testOrderOfChecks(version, () => listing(version), listMistakes[version]);
});

describe("the order of checks", () => {
  testOrderOfChecks("v2", migrating, migrateMistakes);
});

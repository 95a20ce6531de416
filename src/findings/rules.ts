import { createRepeated } from "./rules/create-repeated.ts";
import { cursorOfAnotherList } from "./rules/cursor-of-another-list.ts";
import { expiresInSeconds } from "./rules/expires-in-seconds.ts";
import { memberIgnored } from "./rules/member-ignored.ts";
import { pageRepeated } from "./rules/page-repeated.ts";
import { refusalRepeated } from "./rules/refusal-repeated.ts";
import { retriedTooSoon } from "./rules/retried-too-soon.ts";
import { secretInText } from "./rules/secret-in-text.ts";

/** Every rule. Each has a file in `rules/`. */
export const rules = [
  createRepeated,
  refusalRepeated,
  retriedTooSoon,
  cursorOfAnotherList,
  pageRepeated,
  expiresInSeconds,
  secretInText,
  memberIgnored,
] as const;

export type RuleName = (typeof rules)[number]["name"];

export const ruleNames = rules.map(({ name }) => name) as [RuleName, ...RuleName[]];

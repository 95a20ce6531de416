import { expect, test } from "vitest";
import { cases } from "./cases.js";

test.each(Object.entries(cases))("%s", async (_, [wait, outcome]) => {
  expect(await wait()).toBe(outcome);
});

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { ruleNames } from "../../src/findings/rules.ts";
import { reaches, type Reached } from "../_reach.ts";
import { call, get, newer, rulesOf, world } from "./_programs.ts";

const page = await readFile("docs/what-it-tells.md", "utf8");
const sections = page.split(/^## /m).slice(1);
const [, [, throughMsw]] = reaches as [unknown, (typeof reaches)[number]];

const programs = sections.map((section) => {
  const [rule = ""] = section.split("\n", 1);
  const [wrong = "", mended = ""] = Array.from(
    section.matchAll(/^```js\n(.*?)^```$/gms),
    ([, code = ""]) => code,
  );
  return [rule, wrong, mended] as const;
});

/** Runs the code of a block with the names that the page explains. */
async function run(code: string, { emulator, url }: Reached): Promise<void> {
  const program = `export default async ({ call, emulator, get, unkey }) => {\n${code}\n};`;
  const module = await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(program)}`
  );
  await module.default({
    emulator,
    unkey: newer(url),
    call: (operation: string, body: object) => call(url, operation, body),
    get: (operation: string, query: Record<string, string>) => get(url, operation, query),
  });
}

test("the page has a section for every rule", () => {
  expect(programs.map(([rule]) => rule)).toEqual(ruleNames);
});

test.each(programs)(
  "the program of the page for %s makes this finding alone",
  async (rule, code) => {
    const reached = await throughMsw(world);

    await run(code, reached);

    expect(code).toMatch(/^\/\/ The mistake: /);
    expect(rulesOf(reached.emulator)).toEqual([rule]);
  },
);

test.each(programs)("the mended program of the page for %s makes none", async (_rule, _, code) => {
  const reached = await throughMsw(world);

  await run(code, reached);

  expect(code).toMatch(/^\/\/ Mended[.:]/);
  expect(reached.emulator.requests.count()).toBeGreaterThan(0);
  expect(rulesOf(reached.emulator)).toEqual([]);
});

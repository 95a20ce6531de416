import { chromium as playwright, type Browser } from "playwright";
import { chromium } from "./_doors/chromium.ts";

/** A real browser; `await using` closes it. */
export async function givenBrowser(): Promise<Browser> {
  const { args, env, executablePath } = chromium;
  return playwright.launch({ args, env, executablePath });
}

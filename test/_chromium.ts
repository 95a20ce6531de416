import { chromium as playwright, type Browser } from "playwright";
import { chromium } from "./_doors/chromium.ts";

/** A real browser; `await using` closes it. */
export async function givenBrowser(more: readonly string[] = []): Promise<Browser> {
  const { args, env, executablePath } = chromium;
  return playwright.launch({ args: [...args, ...more], env, executablePath });
}

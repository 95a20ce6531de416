import type { Page } from "playwright";
import sharp from "sharp";
import { journalRows, textsOf } from "./_page.ts";

/** How long (ms) a picture of the film stands, and the last one, before the film starts over. */
const [EACH, LAST] = [1_000, 3_000];

/** Makes a small picture of the page, because one is in the package. */
export async function picture(tab: Page, file: string): Promise<void> {
  await sharp(await tab.screenshot())
    .png({ palette: true, effort: 10 })
    .toFile(file);
}

interface Film {
  /** The file of the GIF. */
  readonly file: string;
  /** Each step makes one call, and the film shows the page after it. */
  readonly steps: readonly (() => Promise<unknown>)[];
}

/** Makes a GIF of the page while a test calls the emulator, and returns its size in bytes. */
export async function film(tab: Page, { file, steps }: Film): Promise<number> {
  const before = await journalRows(tab).count();
  const frames = [await tab.screenshot()];
  for (const [index, step] of steps.entries()) {
    await step();
    await textsOf(journalRows(tab), before + index + 1);
    frames.push(await tab.screenshot());
  }
  const delay = frames.map((_, index) => (index === frames.length - 1 ? LAST : EACH));
  const { size } = await sharp(frames, { join: { animated: true } })
    .gif({ delay, interFrameMaxError: 4 })
    .toFile(file);
  return size;
}

import type { Page } from "playwright";
import sharp from "sharp";

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
  const frames = [await tab.screenshot()];
  for (const step of steps) {
    const calls = tab.getByRole("button", { name: /^Calls/ });
    const before = await calls.innerText();
    await step();
    while ((await calls.innerText()) === before) await tab.waitForTimeout(50);
    // The list of keys is read once more after the call.
    await tab.waitForTimeout(500);
    frames.push(await tab.screenshot());
  }
  const delay = frames.map((_, index) => (index === frames.length - 1 ? LAST : EACH));
  const { size } = await sharp(frames, { join: { animated: true } })
    .gif({ delay, interFrameMaxError: 4 })
    .toFile(file);
  return size;
}

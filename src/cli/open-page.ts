/**
 * Opens a page in the browser of whoever is at this machine; where there is none, nothing happens.
 * Nobody has to wait for it.
 */
export async function openPage(url: string): Promise<void> {
  try {
    // Loaded when it is needed: few starts open anything.
    const { default: open } = await import("open");
    const child = await open(url);
    child.on("error", () => {});
  } catch {
    // Nothing here can open anything; the banner tells the address.
  }
}

import open from "open";

/** Opens a page in the browser of whoever is at this machine; where there is none, nothing happens. */
export async function openPage(url: string): Promise<void> {
  try {
    const child = await open(url);
    child.on("error", () => {});
  } catch {
    // Nothing here can open anything; the banner tells the address.
  }
}

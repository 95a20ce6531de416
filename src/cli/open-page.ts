import open from "open";

/** Opens a page in the browser of whoever is at this machine; where there is none, nothing happens. */
export async function openPage(url: string): Promise<void> {
  const child = await open(url);
  // It has been told where to look, in any case.
  child.on("error", () => {});
}

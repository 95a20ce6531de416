/**
 * Opens a URL in the default browser. Never rejects: without a browser, nothing happens, and the banner
 * shows the URL.
 */
export async function openPage(url: string): Promise<void> {
  try {
    // Imported here, because few starts open a page.
    const { default: open } = await import("open");
    const child = await open(url);
    child.on("error", () => {});
  } catch {
    // No program can open URLs, as in a container.
  }
}

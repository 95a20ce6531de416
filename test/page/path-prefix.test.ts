import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createKey } from "../_emulator.ts";
import { button, keyRows, openCalls, openMenu, show, textsOf, useBrowser } from "./_page.ts";

useBrowser();

const API = "#api=api_one";

test.each(["", "_latchkey/ui", "_latchkey/ui/"])(
  "the page at %j works behind a proxy with a path prefix",
  async (path) => {
    const { emulator, tab } = await show({ prefix: "/tools/latchkey", path: path + API });

    // The keys come from an operation, and the journal from the stream of events.
    await textsOf(keyRows(tab), 7);
    await createKey(emulator, { apiId: "api_one", name: "of another client" });
    await textsOf(await openCalls(tab), 1);
    await textsOf(keyRows(tab), 8);
    await tab.getByRole("link", { name: "Create key" }).click();
    await button(tab, "Send").click();
    await tab.getByText("created, after").waitFor();

    expect(emulator.keys.count()).toBe(9);
    expect(await tab.evaluate(() => getComputedStyle(document.body).margin)).toBe("0px");
  },
);

test("behind a path prefix, curl commands, snapshots and resets of the page use the prefix", async () => {
  const { emulator, tab } = await show({
    prefix: "/tools/latchkey",
    path: API,
    context: { permissions: ["clipboard-read", "clipboard-write"] },
  });
  await createKey(emulator, { apiId: "api_one" });
  await textsOf(keyRows(tab), 8);

  await tab.getByRole("link", { name: "Create key" }).click();
  await button(tab, "Copy as curl").click();
  await expect
    .poll(() => tab.evaluate(() => navigator.clipboard.readText()))
    .toContain(`curl '${new URL(tab.url()).origin}/tools/latchkey/v2/keys.createKey'`);
  await openMenu(tab, "Workspace");
  const download = tab.waitForEvent("download");
  await button(tab, "Save a snapshot").click();
  const file = JSON.parse(await readFile(await (await download).path(), "utf8"));
  expect(file.keys).toHaveLength(8);
  await button(tab, "Reset").click();
  await button(tab, "Reset everything").click();

  await expect.poll(() => emulator.keys.count()).toBe(7);
});

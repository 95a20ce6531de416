import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createKey, listKeys, NOW } from "../_emulator.ts";
import { calls as everyCall, everything } from "../_every-operation.ts";
import {
  button,
  keyRows,
  look,
  openMenu,
  show,
  shownWorld,
  textsOf,
  untilFocused,
  useBrowser,
} from "./_page.ts";

useBrowser();

test("faults are added by one click or as JSON, counted, shown with their hits, and removed", async () => {
  const { emulator, tab } = await show({ told: /status of 400/ });
  const panel = await openMenu(tab, "Faults");
  await panel.getByText("Nothing goes wrong on purpose.").waitFor();

  await button(panel, "The next call fails (500)").click();
  await panel.getByText("every call: status 500, once").waitFor();
  await createKey(emulator, { apiId: "api_one" });
  await panel.getByText("hit 1 call", { exact: true }).waitFor();
  await tab.getByText("no faults", { exact: true }).waitFor();
  await panel.getByLabel("Another fault, as JSON").fill('{ "times": 0 }');
  await button(panel, "Add it").click();
  await panel.getByText("fault: times: expected an integer of at least 1").waitFor();
  await panel
    .getByLabel("Another fault, as JSON")
    .fill('{ "operation": "apis.listKeys", "status": 429 }');
  await button(panel, "Add it").click();
  await tab.getByText("1 fault", { exact: true }).waitFor();
  expect((await listKeys(emulator, { apiId: "api_one" })).status).toBe(429);
  await panel.getByRole("button", { name: "Remove: apis.listKeys" }).press("Enter");
  await untilFocused(panel);

  await expect.poll(() => emulator.faults.list().length).toBe(1);
});

test("the clock is moved, set, stopped and set to the real time, and Escape closes its panel", async () => {
  const { emulator, tab } = await show();
  const { clock } = emulator;
  const panel = await openMenu(tab, "Clock");
  await panel.getByText("1 Jan 2026 00:00:00 UTC. The clock is stopped.").waitFor();

  await button(panel, "1 hour").click();
  await panel.getByText("01:00:00 UTC").waitFor();
  await button(panel, "Let it run").click();
  await panel.getByText("The clock was moved, and is running.").waitFor();
  await tab.getByRole("button", { name: /^moved .*2026 01:00/ }).waitFor();
  await button(panel, "Stop").click();
  await button(panel, "Let it run").waitFor();
  expect(clock.isFrozen).toBe(true);
  await panel.getByLabel("Go to (UTC)").fill("2030-05-06T07:08:09");
  await button(panel, "Set").click();
  await panel.getByText("6 May 2030 07:08:09 UTC").waitFor();
  expect(clock.now()).toBe(Date.UTC(2030, 4, 6, 7, 8, 9));
  const before = Date.now();
  await button(panel, "Back to real time").click();
  await panel.getByText("The clock is running.").waitFor();
  expect(clock.now()).toBeGreaterThanOrEqual(before);
  await tab.keyboard.press("Escape");

  await panel.waitFor({ state: "hidden" });
});

test("a reset asks first, and a snapshot is saved, restored, and refused with every problem", async () => {
  const gateway = "http://localhost:8080";
  const { emulator, tab } = await show({ gateway, told: /status of 400/ });
  await createKey(emulator, { apiId: "api_one", name: "later" });
  await textsOf(keyRows(tab), 8);
  const panel = await openMenu(tab, "Workspace");
  await panel.getByText(gateway, { exact: true }).waitFor();
  const downloading = tab.waitForEvent("download");
  await button(panel, "Save a snapshot").click();
  const saved = await readFile(await (await downloading).path(), "utf8");
  const upload = (label: string, name: string, text: string) =>
    panel.getByLabel(label).setInputFiles({
      name,
      mimeType: "application/json",
      buffer: Buffer.from(text),
    });

  await button(panel, "Reset").click();
  await panel.getByText(/^Everything goes back to the state of .* UTC .*, with 7 keys\./).waitFor();
  await button(panel, "Cancel").click();
  expect(emulator.keys.count()).toBe(8);
  await button(panel, "Reset").click();
  await button(panel, "Reset everything").click();
  await textsOf(keyRows(tab), 7);
  expect([emulator.clock.now(), emulator.requests.list()]).toEqual([NOW, []]);
  await upload("Restore a snapshot", "mine.json", saved);
  await panel.getByText("mine.json is restored.").waitFor();
  await textsOf(keyRows(tab), 8);
  await upload("Restore a snapshot", "wrong.json", '{ "apis": [{ "id": 5 }], "kees": [] }');
  await panel.getByText("snapshot: apis[0].id: expected an id").waitFor();
  await panel.getByText('snapshot: kees: unknown member, did you mean "keys"?').waitFor();
  await upload("Add records from a file", "more.json", '{ "apis": [{ "id": "api_more" }] }');

  await tab.getByRole("link", { name: /api_more/ }).waitFor();
});

test("with a token that may only watch, the page shows everything and offers no change", async () => {
  const reading = ["api.*.read_key", "api.*.read_api"];
  const tokens = [
    { token: "owner", permissions: ["*"] },
    { token: "visitor", permissions: ["latchkey.watch", ...reading] },
  ];
  const offered = async (token: string) => {
    const { tab } = await show({
      emulator: { fixtures: [{ ...shownWorld, tokens, faults: [{ latency: 0 }] }] },
      path: `#token=${token}&api=api_one`,
    });
    const found: string[] = [];
    for (const name of ["Clock", "Faults", "Workspace"] as const) {
      const panel = await openMenu(tab, name);
      found.push(...(await panel.locator(".acts :is(button, label)").allInnerTexts()));
      await tab.keyboard.press("Escape");
    }
    for (const view of ["Customers", "Limits", "Roles", "Findings", "First"]) {
      await look(tab, view);
      await tab.getByRole("heading", { level: 1, name: view }).waitFor();
      found.push(...(await tab.locator(".bar :is(.button, button)").allInnerTexts()));
    }
    await tab.getByRole("link", { name: "plain" }).click();
    const drawer = tab.getByRole("complementary");
    await drawer.getByText("Record as JSON").waitFor();
    found.push(...(await drawer.locator("> .acts button").allInnerTexts()));
    expect(await tab.locator(".refusal").count()).toBe(0);
    return found;
  };

  expect(await offered("owner")).toEqual(
    expect.arrayContaining(["1 day", "The next call fails (500)", "Reset", "Create key", "Delete"]),
  );
  expect(await offered("visitor")).toEqual(["Count a use", "Create a role", "Copy as curl"]);
});

test("the example of every operation works in this world, in which all kinds of records are", async () => {
  const { emulator, tab } = await show({
    emulator: { fixtures: [everything] },
    path: "#view=call",
    told: /status of 4/,
  });
  const select = tab.getByRole("combobox");
  await tab.getByLabel("Body as JSON").waitFor();
  const names = await select.locator("option").allInnerTexts();
  expect(names.length).toBe(
    new Set(everyCall.filter(([path]) => path.startsWith("/v2/")).map(([path]) => path)).size,
  );
  const failed: string[] = [];

  for (const name of names) {
    await select.selectOption(name);
    await tab.getByText(`/v2/${name}`, { exact: false }).first().waitFor();
    await tab.getByLabel("Body as JSON").waitFor();
    await button(tab, "Send").click();
    const outcome = tab.locator(".outcome");
    await outcome.waitFor();
    if (/refus|expected|there is no|INVALID|NOT_FOUND/.test(await outcome.innerText())) {
      failed.push(`${name}: ${await outcome.innerText()}`);
    }
    emulator.reset();
  }

  expect(failed).toEqual([]);
}, 300_000);

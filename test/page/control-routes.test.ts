import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createKey, listKeys, NOW } from "../_emulator.ts";
import {
  button,
  isFocused,
  journalRows,
  keyRows,
  look,
  show,
  textsOf,
  untilFocused,
  useBrowser,
} from "./_page.ts";

useBrowser();

test("a key can be created with the keyboard alone, and the focus returns to the button", async () => {
  const { emulator, tab } = await show();
  await textsOf(keyRows(tab), 7);
  const create = button(tab, "Create a key");
  for (let step = 0; step < 20 && !(await isFocused(create)); step += 1) {
    await tab.keyboard.press("Tab");
  }
  await tab.keyboard.press("Enter");
  const dialog = tab.getByRole("dialog");
  // A key pressed before the page moves the focus there would go elsewhere.
  await untilFocused(dialog.locator("input, select").first());
  const name = dialog.getByLabel("name", { exact: true });
  for (let step = 0; step < 20; step += 1) {
    if (await isFocused(name)) break;
    await tab.keyboard.press("Tab");
  }

  await tab.keyboard.type("by hand");
  await tab.keyboard.press("Enter");
  await tab.getByText("The key was created").waitFor();
  await tab.keyboard.press("Escape");
  await tab.getByRole("dialog").waitFor({ state: "detached" });

  expect(emulator.keys.all().at(-1)?.name).toBe("by hand");
  await untilFocused(create);
});

test("a form has the focus as soon as it has fields, so that nothing typed at once is lost", async () => {
  const { tab } = await show();
  await textsOf(keyRows(tab), 7);
  const focused = await tab.evaluateHandle(() => ({
    // Observers run before the browser paints and before it takes the next input.
    atFirst: new Promise<boolean>((resolve) => {
      new MutationObserver(() => {
        const field = document.querySelector("dialog form .fields :is(input, select)");
        if (field !== null) resolve(field === document.activeElement);
      }).observe(document.body, { childList: true, subtree: true });
    }),
  }));

  await button(tab, "Create a key").click();

  expect(await focused.evaluate(({ atFirst }) => atFirst)).toBe(true);
});

test("an expiry is chosen in words, by the clock of the emulator", async () => {
  const { emulator, tab } = await show();
  emulator.clock.advance("1d");
  await tab.getByText("2026-01-02 00:00:00").first().waitFor();
  await button(tab, "Create a key").click();

  await button(tab, "in 30 days").click();
  await button(tab, "Create").click();
  await tab.getByText("The key was created").waitFor();

  expect(emulator.keys.all().at(-1)?.expires).toBe(NOW + 31 * 86_400_000);
});

test("Escape closes the form while its call hangs", async () => {
  const { emulator, tab } = await show();
  emulator.faults.add({ operation: "keys.createKey", effect: "hang" });
  await button(tab, "Create a key").click();
  await button(tab, "Create").click();
  await button(tab, "Waiting for the reply…").waitFor();

  await tab.keyboard.press("Escape");

  await tab.getByRole("dialog").waitFor({ state: "detached" });
});

test("calls appear in the journal, newest first, with input, answer and fault", async () => {
  const { emulator, tab } = await show();
  await tab.getByText("There are no calls yet.").waitFor();
  const fault = { operation: "keys.createKey", status: 503, times: 1 };
  emulator.faults.add(fault);

  await createKey(emulator, { apiId: "api_one", name: "hit" });
  await listKeys(emulator, { apiId: "api_one", limit: 2 });
  const [newest, oldest] = await textsOf(journalRows(tab), 2);

  expect(newest).toMatch(/apis\.listKeys\s+200/);
  expect(oldest).toMatch(/keys\.createKey\s+INTERNAL_SERVER_ERROR\s+hit\s+fault\s*503/);
  await journalRows(tab).last().getByRole("button").first().click();
  await journalRows(tab).last().getByText('"isPending"').waitFor();
  const [input, answer, faults] = await textsOf(journalRows(tab).last().locator("pre"), 3);
  expect(JSON.parse(input ?? "")).toEqual({ apiId: "api_one", name: "hit" });
  expect(JSON.parse(answer ?? "").error.code).toBe("INTERNAL_SERVER_ERROR");
  expect(JSON.parse(faults ?? "")).toEqual([expect.objectContaining({ ...fault, hits: 1 })]);
});

test("the journal can be filtered, paused and cleared", async () => {
  const { emulator, tab } = await show();
  await createKey(emulator, { apiId: "api_one" });
  await createKey(emulator, { apiId: "api_none" });
  await listKeys(emulator, { apiId: "api_one" });
  await textsOf(journalRows(tab), 3);
  const journal = tab.locator(".journal");

  await journal.getByLabel("Operation").selectOption("v1 keys.createKey");
  await textsOf(journalRows(tab), 2);
  await journal.getByLabel("failed").check();
  await textsOf(journalRows(tab), 1);
  await journal.getByLabel("failed").uncheck();
  await button(tab, "Pause").click();
  await createKey(emulator, { apiId: "api_one" });
  await tab.getByRole("link", { name: /Journal\s*4/ }).waitFor();
  await textsOf(journalRows(tab), 2);
  await button(tab, "Continue (1 new)").click();
  await textsOf(journalRows(tab), 3);
  await button(tab, "Empty the journal").click();
  await tab.getByText("4 calls and what is counted of them").waitFor();
  expect(emulator.requests.count()).toBe(4);
  await button(tab, "Remove them").click();

  await tab.getByText("There are no calls yet.").waitFor();
  expect(emulator.requests.list()).toEqual([]);
});

test("a common fault can be added with one click, hits a call, and can be removed", async () => {
  const { emulator, tab } = await show();
  await look(tab, "Faults");
  await tab.getByText("Nothing goes wrong on purpose.").waitFor();

  await button(tab, "Creating the next key fails").click();
  await tab.getByText("keys.createKey: status 500").waitFor();
  expect((await createKey(emulator, { apiId: "api_one" })).status).toBe(500);
  await tab.getByText("hit 1 ×").waitFor();
  await button(tab, "Remove fault_1").click();

  await tab.getByText("Nothing goes wrong on purpose.").waitFor();
  expect(emulator.faults.list()).toEqual([]);
});

test("only a fault that hits no further call is dimmed and missing in the header's count", async () => {
  const { emulator, tab } = await show();
  await look(tab, "Faults");
  emulator.faults.add({ operation: "apis.listKeys", status: 429 });
  emulator.faults.add({ operation: "keys.createKey", status: 500, times: 1 });
  await tab.locator("nav .faults .count").getByText("2").waitFor();
  await createKey(emulator, { apiId: "api_one" });
  await listKeys(emulator, { apiId: "api_one" });

  await tab.locator("nav .faults .count").getByText("1").waitFor();
  await tab.locator(".fault").getByText("hit 1 ×").nth(1).waitFor();
  await tab.locator(".fault.off").getByText("keys.createKey").waitFor();
  expect(await tab.locator(".fault.off").count()).toBe(1);
});

test("a fault can be added with every member", async () => {
  const { emulator, tab } = await show();
  await look(tab, "Faults");
  await button(tab, "Add a fault").click();
  const dialog = tab.getByRole("dialog");

  await dialog.getByLabel("operation").selectOption("keys.createKey");
  await dialog.getByLabel("match").fill('{ "name": "CI" }');
  for (const [name, value] of [
    ["times", "3"],
    ["probability", "0.5"],
    ["status", "429"],
    ["latency", "[10, 20]"],
  ] as const) {
    await dialog.getByLabel(name).fill(value);
  }
  await dialog.getByLabel("code").selectOption("RATE_LIMITED");
  await dialog.getByLabel("effect").selectOption("truncate");
  await dialog.getByLabel("when").selectOption("after");
  await button(tab, "Add").click();
  await dialog.waitFor({ state: "detached" });

  expect(emulator.faults.list()).toEqual([
    expect.objectContaining({
      operation: "keys.createKey",
      match: { name: "CI" },
      times: 3,
      probability: 0.5,
      status: 429,
      latency: [10, 20],
      code: "RATE_LIMITED",
      effect: "truncate",
      when: "after",
    }),
  ]);
});

test("an invalid fault is refused with the reason", async () => {
  const { emulator, tab } = await show({ told: /status of 400/ });
  await look(tab, "Faults");
  await button(tab, "Add a fault").click();
  await tab.getByRole("dialog").getByLabel("times").fill("0");

  await button(tab, "Add").click();

  const told = await tab.getByRole("dialog").getByRole("alert").innerText();
  expect(told).toContain("fault: times: expected an integer of at least 1");
  expect(emulator.faults.list()).toEqual([]);
});

test("the clock can be advanced, run, frozen and set", async () => {
  const { emulator, tab } = await show();
  await look(tab, "State");
  const { clock } = emulator;
  await tab.locator(".panel.state").getByText("2026-01-01 00:00:00").waitFor();

  await button(tab, "+1h").click();
  await tab.locator(".panel.state").getByText("2026-01-01 01:00:00").waitFor();
  await button(tab, "Let it run").click();
  await button(tab, "Freeze").click();
  await button(tab, "Let it run").waitFor();
  expect(clock.isFrozen).toBe(true);
  await tab.getByLabel("Time to go to, in UTC").fill("2030-05-06T07:08:09");
  await button(tab, "Go there").click();

  await tab.locator(".panel.state").getByText("2030-05-06 07:08:09").waitFor();
  expect(clock.now()).toBe(Date.UTC(2030, 4, 6, 7, 8, 9));
});

test("a reset asks for confirmation and restores the start", async () => {
  const { emulator, tab } = await show();
  await createKey(emulator, { apiId: "api_one" });
  emulator.clock.advance("1d");
  await textsOf(keyRows(tab), 8);
  await look(tab, "State");

  await button(tab, "Reset").click();
  await tab.getByText(/^Everything goes back to the state of .* UTC .*, with 7 keys: /).waitFor();
  await button(tab, "Cancel").click();
  await tab.getByRole("dialog").waitFor({ state: "detached" });
  expect(emulator.keys.count()).toBe(8);
  await untilFocused(button(tab, "Reset"));
  await tab.keyboard.press("Enter");
  await button(tab, "Reset everything").click();

  await textsOf(keyRows(tab), 7);
  await tab.getByText("Reset.", { exact: true }).waitFor();
  expect(emulator.clock.now()).toBe(NOW);
  expect(emulator.requests.list()).toEqual([]);
});

test("a snapshot can be saved to a file and restored, and a fixture added", async () => {
  const { emulator, tab } = await show();
  await createKey(emulator, { apiId: "api_two", name: "in the snapshot" });
  const before = JSON.stringify(emulator.snapshot());
  await look(tab, "State");

  const downloading = tab.waitForEvent("download");
  await button(tab, "Save a snapshot").click();
  const file = await (await downloading).path();
  const saved = await readFile(file, "utf8");
  emulator.keys.delete((q) => q.where({ name: "in the snapshot" }));
  await tab.getByLabel("Restore a snapshot").setInputFiles({
    name: "mine.json",
    mimeType: "application/json",
    buffer: Buffer.from(saved),
  });
  await tab.getByText("mine.json was restored.").waitFor();

  expect(JSON.parse(saved)).toEqual(JSON.parse(before));
  expect(JSON.stringify(emulator.snapshot())).toBe(before);
  await tab.getByLabel("Add a fixture").setInputFiles({
    name: "more.json",
    mimeType: "application/json",
    buffer: Buffer.from('{ "apis": [{ "id": "api_more" }] }'),
  });
  await tab.getByText("more.json was added.").waitFor();
  await tab.getByRole("link", { name: /api_more/ }).waitFor();
});

test("an invalid snapshot file is refused with every problem and changes nothing", async () => {
  const { emulator, tab } = await show({ told: /status of 400/ });
  const before = JSON.stringify(emulator.snapshot());
  await look(tab, "State");

  await tab.getByLabel("Restore a snapshot").setInputFiles({
    name: "wrong.json",
    mimeType: "application/json",
    buffer: Buffer.from('{ "apis": [{ "id": 5 }], "kees": [] }'),
  });

  const told = await tab.locator(".panel.state").getByRole("alert").innerText();
  expect(told).toContain("snapshot: apis[0].id: expected an id");
  expect(told).toContain('snapshot: kees: unknown member, did you mean "keys"?');
  expect(JSON.stringify(emulator.snapshot())).toBe(before);
});

import { expect, test } from "vitest";
import { createKey } from "../_emulator.ts";
import { button, keyRows, look, show, shownWorld, textsOf, useBrowser } from "./_page.ts";

// A name that leads here, and is none of this machine's.
useBrowser(["--host-resolver-rules=MAP latchkey.example 127.0.0.1"]);

const guarded = {
  ...shownWorld,
  tokens: [
    { token: "root_of_test", permissions: ["*"] },
    { token: "writer", permissions: ["api.*.create_key"] },
  ],
};

test("where tokens are listed one is asked for, until it is one of them", async () => {
  const { tab } = await show({ emulator: { fixtures: [guarded] }, told: /status of 401/ });
  const dialog = tab.getByRole("dialog", { name: "Token" });

  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Bearer token").fill("wrong");
  await tab.keyboard.press("Enter");
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Bearer token").fill("root_of_test");
  await tab.keyboard.press("Enter");

  await textsOf(keyRows(tab), 7);
  await tab.reload();
  await textsOf(keyRows(tab), 7);
});

test("a token in the address is used, and taken out of it", async () => {
  const { tab } = await show({ emulator: { fixtures: [guarded] }, path: "#token=root_of_test" });

  await textsOf(keyRows(tab), 7);

  expect(new URL(tab.url()).hash).toBe("");
  expect(await tab.locator("body").innerText()).not.toContain("root_of_test");
});

test("what a token may not do is told where it was tried", async () => {
  const { tab } = await show({
    emulator: { fixtures: [guarded] },
    path: "#token=writer",
    told: /status of 403/,
  });

  const told = await tab.locator(".keys").getByRole("alert").innerText();

  expect(told).toContain("INSUFFICIENT_PERMISSIONS");
});

test("with isolation the token says whose copy is shown and steered", async () => {
  const { emulator, tab } = await show({ emulator: { isolate: true } });
  await createKey(emulator, { apiId: "api_one", name: "of test-7" }, { token: "test-7" });
  await textsOf(keyRows(tab), 7);

  await tab.getByRole("button", { name: /^token/ }).click();
  await tab.getByText("Each token has a copy of its own: take").waitFor();
  await tab.getByLabel("Bearer token").fill("test-7");
  await tab.keyboard.press("Enter");

  expect((await textsOf(keyRows(tab), 8)).at(-1)).toContain("of test-7");
  await look(tab, "Faults");
  await button(tab, "The next create fails").click();
  await tab.getByText("keys.createKey: status 500").waitFor();
  expect(emulator.workspace("test-7").faults.list()).toHaveLength(1);
  expect(emulator.faults.list()).toEqual([]);
});

test("under a host that is not expected the page tells what the control routes say", async () => {
  const { tab } = await show({ host: "latchkey.example", told: /status of 403/ });

  const told = await tab.getByRole("alert").first().innerText();
  expect(told).toContain('got "latchkey.example"; --allow-host names further ones');
  expect(await keyRows(tab).count()).toBe(0);
});

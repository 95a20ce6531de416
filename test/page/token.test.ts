import { expect, test } from "vitest";
import { createKey } from "../_emulator.ts";
import {
  button,
  journalRows,
  keyRows,
  look,
  show,
  shownWorld,
  textsOf,
  useBrowser,
} from "./_page.ts";

// A name that leads here, and is none of this machine's.
useBrowser(["--host-resolver-rules=MAP latchkey.example 127.0.0.1"]);

const reader = { token: "reader", permissions: ["api.*.read_key", "api.*.read_api"] };
const guarded = {
  ...shownWorld,
  tokens: [
    { token: "root_of_test", permissions: ["*"] },
    { token: "writer", permissions: ["api.*.create_key", "latchkey.control"] },
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

test("both tokens of the address are used, each for its calls, and taken out of it", async () => {
  const { emulator, tab } = await show({
    emulator: { fixtures: [{ ...shownWorld, tokens: [reader] }], controlToken: "given_control" },
    path: "#token=reader&control=given_control&view=keys",
  });

  await textsOf(keyRows(tab), 7);
  await look(tab, "Faults");
  await button(tab, "The next create fails").click();
  await tab.getByText("keys.createKey: status 500").waitFor();

  expect(emulator.faults.list()).toHaveLength(1);
  expect(new URL(tab.url()).hash).not.toMatch(/reader|given_control/);
  expect(await tab.locator("body").innerText()).not.toContain("given_control");
  await tab.reload();
  await textsOf(keyRows(tab), 7);
});

test("a token that may not steer is told which one is needed, and that is taken beside it", async () => {
  const { tab } = await show({
    emulator: { fixtures: [{ ...shownWorld, tokens: [reader] }], controlToken: "given_control" },
    path: "#token=reader",
    told: /status of 40[13]/,
  });
  const dialog = tab.getByRole("dialog", { name: "Token" });

  const told = await dialog.getByRole("alert").innerText();
  expect(told).toContain("the token needs the permission latchkey.control or * for control routes");
  await dialog.getByLabel("Control token").fill("wrong_one");
  await tab.keyboard.press("Enter");
  await dialog.getByText("the token is not known; expected the control token").waitFor();
  await dialog.getByLabel("Control token").fill("given_control");
  await tab.keyboard.press("Enter");

  await textsOf(keyRows(tab), 7);
});

test("where no token is listed, the control token alone is asked for", async () => {
  const { tab } = await show({
    emulator: { controlToken: "given_control" },
    told: /status of 401/,
  });
  const dialog = tab.getByRole("dialog", { name: "Token" });

  await dialog.getByText("expected the control token").waitFor();
  await dialog.getByLabel("Control token").fill("given_control");
  await tab.keyboard.press("Enter");

  await textsOf(keyRows(tab), 7);
});

test("with isolation, no control token in the dialog means: the world of the token", async () => {
  const { emulator, tab } = await show({
    emulator: { isolate: true, controlToken: "given_control" },
    path: "#token=test-7&control=given_control",
  });
  await createKey(emulator, { apiId: "api_one" }, { token: "test-7" });
  await tab.getByRole("button", { name: /^token/ }).click();
  await tab.getByText("the page steers the first workspace").waitFor();
  await tab.getByLabel("Control token").fill("");
  await tab.keyboard.press("Enter");

  await textsOf(journalRows(tab), 1);
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

test("a token that comes by the address of an open page is used as well", async () => {
  const { tab } = await show({ emulator: { fixtures: [guarded] }, told: /status of 401/ });
  await tab.getByRole("dialog", { name: "Token" }).waitFor();

  await tab.evaluate(() => {
    location.hash = "#token=root_of_test&api=api_two";
  });

  await tab.getByText("There are no keys here.").waitFor();
  expect(new URL(tab.url()).hash).toBe("#api=api_two");
});

test("a token that was refused works when it is listed, without asking again", async () => {
  const { emulator, tab } = await show({
    emulator: { fixtures: [guarded] },
    path: "#token=later",
    told: /status of 401/,
  });
  await tab.getByRole("dialog").getByRole("alert").waitFor();

  await emulator.tokens.create({ token: "later", permissions: ["*"] });

  await textsOf(keyRows(tab), 7);
});

test("nothing that one token was shown stays for the next", async () => {
  const { emulator, tab } = await show({ emulator: { isolate: true }, path: "#token=aaaaaa" });
  emulator.workspace("aaaaaa").faults.add({ status: 500 });
  await createKey(emulator, { apiId: "api_one" }, { token: "aaaaaa" });
  await textsOf(journalRows(tab), 1);
  await button(tab, "Hold").click();
  // What was asked for the first token comes after the second was shown.
  const [asked, second, late] = [givenMoment(), givenMoment(), givenMoment()];
  await tab.route("**/_latchkey/faults", async (route) => {
    const isOfFirst = route.request().headers()["authorization"] === "Bearer aaaaaa";
    if (!isOfFirst) return route.continue();
    asked.come();
    await second.reached;
    // The page may have given it up.
    await route.continue().catch(() => {});
    late.come();
  });
  emulator.workspace("aaaaaa").clock.advance("1h");
  await asked.reached;

  await tab.evaluate(() => {
    location.hash = "#token=bbbbbb&view=faults";
  });
  await tab.getByText("Nothing goes wrong on purpose.").waitFor();
  second.come();
  await late.reached;
  // What comes after it has been shown, so it would have been as well.
  emulator.workspace("bbbbbb").clock.advance("2h");
  await tab.locator(".clock").getByText("02:00:00").waitFor();

  expect(await tab.getByText("Nothing goes wrong on purpose.").isVisible()).toBe(true);
  expect(await journalRows(tab).count()).toBe(0);
});

/** A moment that comes when the test says so. */
function givenMoment(): { readonly reached: Promise<void>; readonly come: () => void } {
  let come = () => {};
  const reached = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { reached, come };
}

import { expect, onTestFinished, test, vi } from "vitest";
import { follow } from "../../src/page/data/follow.ts";
import { Refused } from "../../src/page/data/refused.ts";
import { createKey } from "../_emulator.ts";
import {
  button,
  keyRows,
  openCalls,
  openMenu,
  show,
  shownWorld,
  textsOf,
  useBrowser,
} from "./_page.ts";

// A host name that resolves to this machine but is not one of the expected ones.
useBrowser(["--host-resolver-rules=MAP latchkey.example 127.0.0.1"]);

const reader = { token: "reader", permissions: ["api.*.read_key", "api.*.read_api"] };
const guarded = {
  ...shownWorld,
  tokens: [
    { token: "root_of_test", permissions: ["*"] },
    { token: "writer", permissions: ["api.*.create_key", "latchkey.control"] },
  ],
};

test("if tokens are listed, the page asks for a token until it is a listed one", async () => {
  const { tab } = await show({ emulator: { fixtures: [guarded] }, told: /status of 401/ });
  const dialog = tab.getByRole("dialog", { name: "Token" });

  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Token of your client").fill("wrong");
  await tab.keyboard.press("Enter");
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Token of your client").fill("root_of_test");
  await tab.keyboard.press("Enter");

  await textsOf(keyRows(tab), 7);
  await tab.reload();
  await textsOf(keyRows(tab), 7);
});

test("a token in the URL is used and removed from the URL", async () => {
  const { tab } = await show({ emulator: { fixtures: [guarded] }, path: "#token=root_of_test" });

  await textsOf(keyRows(tab), 7);

  expect(new URL(tab.url()).hash).toBe("");
  expect(await tab.locator("body").innerText()).not.toContain("root_of_test");
});

test("a token and a control token in the URL are used and removed from the URL", async () => {
  const { emulator, tab } = await show({
    emulator: { fixtures: [{ ...shownWorld, tokens: [reader] }], controlToken: "given_control" },
    path: "#token=reader&control=given_control&view=keys",
  });

  await textsOf(keyRows(tab), 7);
  await button(await openMenu(tab, "Faults"), "The next call fails (500)").click();
  await tab.getByText("every call: status 500, once").waitFor();

  expect(emulator.faults.list()).toHaveLength(1);
  expect(new URL(tab.url()).hash).not.toMatch(/reader|given_control/);
  expect(await tab.locator("body").innerText()).not.toContain("given_control");
  await tab.reload();
  await textsOf(keyRows(tab), 7);
});

test("for a token without access to control routes, the page asks for a control token too", async () => {
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

test("if no token is listed, the page asks for the control token alone", async () => {
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

test("with isolation, removing the control token switches to the workspace of the token", async () => {
  const { emulator, tab } = await show({
    emulator: { isolate: true, controlToken: "given_control" },
    path: "#token=test-7&control=given_control",
  });
  await createKey(emulator, { apiId: "api_one" }, { token: "test-7" });
  await tab.getByRole("button", { name: /^token/ }).click();
  await tab.getByText("the page controls the default workspace").waitFor();
  await tab.getByLabel("Control token").fill("");
  await tab.keyboard.press("Enter");

  await textsOf(await openCalls(tab), 1);
});

test("with isolation, the token selects the workspace that is shown and changed", async () => {
  const { emulator, tab } = await show({ emulator: { isolate: true } });
  await createKey(emulator, { apiId: "api_one", name: "of test-7" }, { token: "test-7" });
  await textsOf(keyRows(tab), 7);

  await tab.getByRole("button", { name: /^token/ }).click();
  await tab.getByText("Each token has its own copy of the workspace: enter").waitFor();
  await tab.getByLabel("Token of your client").fill("test-7");
  await tab.keyboard.press("Enter");

  expect((await textsOf(keyRows(tab), 8))[0]).toContain("of test-7");
  await button(await openMenu(tab, "Faults"), "The next call fails (500)").click();
  await tab.getByText("every call: status 500, once").waitFor();
  expect(emulator.workspace("test-7").faults.list()).toHaveLength(1);
  expect(emulator.faults.list()).toEqual([]);
});

test("under an unexpected host name, the page shows the refusal of the control routes", async () => {
  const { tab } = await show({ host: "latchkey.example", told: /status of 403/ });

  const told = await tab.getByRole("alert").first().innerText();
  expect(told).toContain('got "latchkey.example"; allow further hosts with --allow-host');
  expect(await keyRows(tab).count()).toBe(0);
});

test("a token added to the URL of an open page is used", async () => {
  const { tab } = await show({ emulator: { fixtures: [guarded] }, told: /status of 401/ });
  await tab.getByRole("dialog", { name: "Token" }).waitFor();

  await tab.evaluate(() => {
    location.hash = "#token=root_of_test&api=api_two";
  });

  await tab.getByText("There are no keys yet.").waitFor();
  expect(new URL(tab.url()).hash).toBe("#api=api_two");
});

test("a refused token works once it is listed, without being entered again", async () => {
  const { emulator, tab } = await show({
    emulator: { fixtures: [guarded] },
    path: "#token=later",
    told: /status of 401/,
  });
  await tab.getByRole("dialog").getByRole("alert").waitFor();

  await emulator.tokens.create({ token: "later", permissions: ["*"] });

  await textsOf(keyRows(tab), 7);
});

test("while its token is refused, the page tries again less and less often", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const end = new AbortController();
  const tries: number[] = [];
  const client = {
    events() {
      tries.push(Date.now());
      return Promise.reject(new Refused(401, []));
    },
  };
  void follow(client as never, { onLost() {} } as never, end.signal);

  await vi.advanceTimersByTimeAsync(300_000);
  end.abort();

  const pauses = tries.slice(1).map((time, index) => (time - (tries[index] ?? 0)) / 1_000);
  expect(pauses).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
});

test("changing the token clears everything shown for the previous one", async () => {
  const { emulator, tab } = await show({ emulator: { isolate: true }, path: "#token=aaaaaa" });
  emulator.workspace("aaaaaa").faults.add({ status: 500 });
  await createKey(emulator, { apiId: "api_one" }, { token: "aaaaaa" });
  await textsOf(await openCalls(tab), 1);
  // The reply to the first token arrives after the second token's data is shown.
  const [asked, second, late] = [givenMoment(), givenMoment(), givenMoment()];
  await tab.route("**/_latchkey/faults", async (route) => {
    const isOfFirst = route.request().headers()["authorization"] === "Bearer aaaaaa";
    if (!isOfFirst) return route.continue();
    asked.come();
    await second.reached;
    // The page may have aborted the request.
    await route.continue().catch(() => {});
    late.come();
  });
  emulator.workspace("aaaaaa").clock.advance("1h");
  await asked.reached;

  await tab.evaluate(() => {
    location.hash = "#token=bbbbbb&view=keys";
  });
  await tab.getByText("no faults", { exact: true }).waitFor();
  second.come();
  await late.reached;
  // This later change is shown, so the late reply would have been shown by now.
  emulator.workspace("bbbbbb").clock.advance("2h");
  await tab.getByRole("button", { name: /02:00:00$/ }).waitFor();

  expect(await tab.getByText("no faults", { exact: true }).isVisible()).toBe(true);
  await tab.getByText("No calls recorded.").waitFor();
});

/** A promise that the test resolves with `come`. */
function givenMoment(): { readonly reached: Promise<void>; readonly come: () => void } {
  let come = () => {};
  const reached = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { reached, come };
}

import { expect, test } from "vitest";
import type { Locator, Page } from "playwright";
import { createKey, post } from "../_emulator.ts";
import { faultsOf, tooWide } from "./_checks.ts";
import { button, look, show, shownWorld, untilFocused, useBrowser } from "./_page.ts";

useBrowser();

const inSeconds = { apiId: "api_one", name: "Trial", expires: 1_790_000_000 };

function findings(tab: Page): Locator {
  return tab.getByRole("region", { name: "Findings", exact: true });
}

/** The link to the view, which shows how many findings there are. */
function linkWith(tab: Page, count: string): Locator {
  const name = new RegExp(`^Findings\\s*${count}$`);
  return tab.getByRole("navigation", { name: "Views" }).getByRole("link", { name });
}

test("a finding appears as it is made, with its rule, why, the advice and its calls", async () => {
  const { emulator, tab } = await show();
  await look(tab, "Findings");
  const panel = findings(tab);
  await panel.getByText("No mistakes found.").waitFor();

  for (let times = 0; times < 3; times += 1) await createKey(emulator, inSeconds);

  await panel.getByRole("heading", { name: "expires-in-seconds" }).waitFor();
  const [finding] = emulator.findings.list();
  expect(await panel.getByText(finding?.why ?? "").isVisible()).toBe(true);
  expect(await panel.getByText(finding?.advice ?? "").isVisible()).toBe(true);
  await linkWith(tab, "1").waitFor();
  await panel.getByRole("button", { name: "3 calls" }).click();
  const calls = panel.getByRole("button", { name: /keys\.createKey/ });
  expect(await calls.count()).toBe(3);
  await calls.first().click();
  await panel.getByText(finding?.requests[0] ?? "", { exact: true }).waitFor();
});

test("a finding grows while it is shown, and Clear the findings forgets all of them", async () => {
  const { emulator, tab } = await show();
  await createKey(emulator, inSeconds);
  const { key } = (await createKey(emulator, { apiId: "api_one" })).body;
  await createKey(emulator, { apiId: "api_one", name: `like ${key}` });
  await look(tab, "Findings");
  const panel = findings(tab);
  await panel.getByRole("button", { name: "1 call", exact: true }).nth(1).waitFor();

  await createKey(emulator, inSeconds);
  await panel.getByRole("button", { name: "2 calls" }).waitFor();
  await emulator.requests.clear();
  await panel.getByRole("button", { name: "2 calls" }).click();
  await panel.getByText("2 calls not in the journal any more").waitFor();

  await button(tab, "Clear the findings").click();
  await button(tab, "Remove them").click();
  await panel.getByText("No mistakes found.").waitFor();
  await untilFocused(panel);
  await linkWith(tab, "").waitFor();
  expect(emulator.findings.list()).toEqual([]);
  expect(await button(tab, "Clear the findings").count()).toBe(0);
});

test("Permissions needed tells what each token needs, never needed and lacks, and follows new calls", async () => {
  const tokens = [
    { token: "owner", permissions: ["*"] },
    { token: "tester", permissions: ["api.*.create_key", "api.*.delete_key"] },
  ];
  const { emulator, tab } = await show({
    emulator: { fixtures: [{ ...shownWorld, tokens }] },
    path: "#token=owner",
    context: { viewport: { width: 390, height: 844 } },
  });
  await createKey(emulator, { apiId: "api_one" }, { token: "tester" });
  await look(tab, "Findings");
  const panel = findings(tab);
  await panel.getByText("Permissions needed").click();

  await panel.getByRole("heading", { name: "tokens[1] needs 1 permission" }).waitFor();
  await panel.getByText("api.api_one.create_key", { exact: true }).waitFor();
  await panel.getByText("It has, and never needed: api.*.delete_key").waitFor();
  await post(emulator, "/v2/apis.getApi", { apiId: "api_none_such" }, { token: "tester" });
  await post(emulator, "/v2/apis.createApi", { name: "New" }, { token: "tester" });
  await panel.getByText("It lacks api.*.create_api: apis.createApi was refused once").waitFor();
  await panel.getByLabel("for any API").check();
  await panel.getByText("api.*.create_key", { exact: true }).waitFor();
  expect([...(await faultsOf(tab)), ...(await tab.evaluate(tooWide))]).toEqual([]);
});

test("with a token that may only watch, the page shows findings, and no button to clear them", async () => {
  const tokens = [
    { token: "owner", permissions: ["*"] },
    { token: "visitor", permissions: ["latchkey.watch", "api.*.read_key", "api.*.read_api"] },
  ];
  const { emulator, tab } = await show({
    emulator: { fixtures: [{ ...shownWorld, tokens }] },
    path: "#token=visitor",
  });
  await createKey(emulator, inSeconds, { token: "owner" });

  await look(tab, "Findings");

  await findings(tab).getByRole("heading", { name: "expires-in-seconds" }).waitFor();
  expect(await button(tab, "Clear the findings").count()).toBe(0);
  expect(await findings(tab).getByText("Permissions needed").count()).toBe(0);
});

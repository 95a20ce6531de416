import { expect, test } from "vitest";
import { createKey, listKeys, NOW, post } from "../_emulator.ts";
import {
  button,
  keyRows,
  look,
  openCalls,
  show,
  shownWorld,
  textsOf,
  untilFocused,
  useBrowser,
} from "./_page.ts";

useBrowser();

const window = { limit: 1, duration: 10_000 };
const fixture = {
  ...shownWorld,
  keys: [
    { apiId: "api_one", name: "expired", key: "value_expired", expires: NOW - 7_200_000 },
    { apiId: "api_one", name: "disabled", key: "value_disabled", enabled: false },
    { apiId: "api_one", name: "used up", key: "value_used_up", remaining: 1 },
    {
      apiId: "api_one",
      name: "limited",
      key: "value_limited",
      ratelimits: [{ name: "default", ...window, autoApply: true }],
    },
  ],
};

test("each call is told in words, with the reason of a refusal, and `refused` shows every refusal", async () => {
  const { emulator, tab } = await show({ emulator: { fixtures: [fixture] } });
  const verify = (key: string, members = {}) =>
    post(emulator, "/v2/keys.verifyKey", { key: `value_${key}`, ...members });
  const use = { namespace: "email", identifier: "user_1", ...window };
  await createKey(emulator, { apiId: "api_one", name: "new one" });
  await listKeys(emulator, { apiId: "api_one", limit: 2 });
  for (const key of ["expired", "disabled", "used_up", "used_up", "limited", "limited"])
    await verify(key);
  await verify("used_up", { permissions: "docs.read" });
  await verify("nobody");
  await post(emulator, "/v2/ratelimit.limit", use);
  await post(emulator, "/v2/ratelimit.limit", use);
  await createKey(emulator, { apiId: "api_none" });

  const calls = await openCalls(tab);
  const texts = await textsOf(calls, 13);
  const words = texts.map((text) => text.split("\n")[2]?.trim()).toReversed();

  expect(words).toEqual([
    "created",
    "2 keys",
    "EXPIRED expired 2 hours ago",
    "DISABLED the key is disabled",
    "valid, 0 left",
    "USAGE_EXCEEDED no uses left",
    "valid",
    "RATE_LIMITED 2nd use of 1 per 10 s, free in 11 s",
    "INSUFFICIENT_PERMISSIONS the key lacks docs.read",
    "NOT_FOUND no key of this workspace has this value",
    "allowed, 0 of 1 left",
    "LIMITED 2nd use of 1 per 10 s, free in 11 s",
    expect.stringMatching(/^NOT_FOUND .*api_none/),
  ]);
  await button(tab, /^Calls/).click();
  await button(tab, "8 refused").click();
  await textsOf(calls, 8);
  await tab.getByLabel("refused").uncheck();
  await textsOf(calls, 13);
});

test("a call opens to its request, its reply, its fault and a command, and leads to its key", async () => {
  const { emulator, tab } = await show();
  emulator.faults.add({ operation: "keys.createKey", status: 503, times: 1 });
  await createKey(emulator, { apiId: "api_one", name: "hit" });
  await createKey(emulator, { apiId: "api_one", name: "made" });
  const calls = await openCalls(tab);
  await textsOf(calls, 2);

  await calls.last().click();
  await tab.getByText("A fault hit this call: keys.createKey: status 503, once").waitFor();
  const request = await tab.getByRole("region", { name: "Request" }).innerText();
  expect(JSON.parse(request)).toEqual({ apiId: "api_one", name: "hit" });
  expect(await tab.getByRole("region", { name: "Reply" }).innerText()).toContain("error");
  await calls.first().click();
  await tab.getByRole("link", { name: "Show the key" }).click();
  await tab.getByRole("complementary", { name: "made" }).waitFor();
  await tab.reload();
  await tab.getByRole("complementary", { name: "made" }).waitFor();
  await button(tab, "Forget all calls").click();
  await tab.getByText("No call yet.").waitFor();
  await untilFocused(button(tab, "Forget all calls"));
  expect(emulator.requests.list()).toEqual([]);
});

test("the upper edge of the calls moves by the mouse and by the arrow keys", async () => {
  const { tab } = await show();
  await openCalls(tab);
  const edge = tab.getByRole("separator", { name: "Height of the calls" });
  const height = async () => Number(await edge.getAttribute("aria-valuenow"));
  const before = await height();

  await edge.press("ArrowUp");
  expect(await height()).toBeGreaterThan(before);
  const box = await edge.boundingBox();
  await tab.mouse.move(700, (box?.y ?? 0) + 4);
  await tab.mouse.down();
  await tab.mouse.move(700, (box?.y ?? 0) + 104);
  await tab.mouse.up();

  expect(await height()).toBeLessThan(before);
});

test("limits show who has the least left, the overrides, and lead to the last call", async () => {
  const ratelimitNamespaces = [
    { name: "email", overrides: [{ identifier: "vip_*", limit: 1_000, duration: 60_000 }] },
  ];
  const { emulator, tab } = await show({
    emulator: { fixtures: [{ ...shownWorld, ratelimitNamespaces }] },
  });
  const use = (identifier: string, limit: number) =>
    post(emulator, "/v2/ratelimit.limit", {
      namespace: "email",
      identifier,
      limit,
      duration: 60_000,
    });
  await use("of a window that is over", 1);
  emulator.clock.set(NOW + 60_000);
  for (const identifier of ["many", "few", "few"]) await use(identifier, 5);
  await look(tab, "Limits");

  const [first, second, third] = await textsOf(tab.locator(".cards li"), 3);
  expect(first).toMatch(/few in email[^]*3 of 5 per 1 min left[^]*full again in 1 minute/);
  expect(second).toContain("4 of 5 per 1 min left");
  expect(third).toMatch(/0 of 1 per 1 min were left[^]*the window is over/);
  expect(await tab.getByRole("region", { name: "email" }).innerText()).toMatch(
    /vip_\*[^]*1,000 per 1 min/,
  );
  await tab.getByRole("link", { name: "Last call" }).first().click();
  await tab.getByRole("region", { name: "Request" }).getByText("few").waitFor();
});

test("customers and roles are found by name, and a customer leads to its keys", async () => {
  const identities = [{ externalId: "org_fjord", meta: { name: "Fjordline Travel", plan: "pro" } }];
  const roles = [{ name: "reader", description: "Reads docs", permissions: ["docs.read"] }];
  const keys = [{ apiId: "api_two", name: "of Fjordline", externalId: "org_fjord" }];
  const world = { ...shownWorld, identities, keys, roles };
  const { tab } = await show({ emulator: { fixtures: [world] } });
  await look(tab, "Customers");
  await tab.getByLabel("Search customers").fill("travel");
  await tab.getByRole("link", { name: "Fjordline Travel" }).click();
  await tab.getByRole("link", { name: "of Fjordline" }).click();
  await tab.getByRole("heading", { name: "Second" }).waitFor();
  await tab.getByRole("complementary", { name: "of Fjordline" }).waitFor();

  await look(tab, "Roles");
  await tab.getByText("Reads docs").waitFor();
  await tab.getByLabel("Search roles").fill("nothing");
  await tab.getByText("No roles match.").waitFor();
});

test("findings appear as they are made, lead to their calls, and can be forgotten", async () => {
  const { emulator, tab } = await show();
  await look(tab, "Findings");
  await tab.getByText("No mistakes found.").waitFor();

  await createKey(emulator, { apiId: "api_one", expires: 1_900_000_000 });
  await tab.getByRole("region", { name: "expires-in-seconds" }).getByRole("link").click();
  await tab.getByRole("region", { name: "Request" }).getByText("1900000000").waitFor();
  await tab
    .getByRole("region", { name: "unlisted token 1" })
    .getByText("api.api_one.create_key")
    .waitFor();
  await button(tab, "Forget them").click();

  await tab.getByText("No mistakes found.").waitFor();
  await untilFocused(button(tab, "Forget them"));
  expect(emulator.findings.list()).toEqual([]);
  await look(tab, "First");
  await textsOf(keyRows(tab), 8);
});

import { expect, test } from "vitest";
import { createKey, listKeys, NOW, post } from "../_emulator.ts";
import {
  button,
  keyRows,
  look,
  openCalls,
  openKey,
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

test("each call is described in words, with the reason of a refusal, and `refused` shows every refusal", async () => {
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
  await button(tab, "Cancel").click();
  expect(emulator.requests.count()).toBe(2);
  await button(tab, "Forget all calls").press("Enter");
  await button(tab, "Forget them").press("Enter");
  await tab.getByText("No calls recorded.").waitFor();
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

  // A use still counts in the window after its own.
  const [over, first, second] = await textsOf(tab.locator(".cards li"), 3);
  expect(over).toMatch(
    /^of a window that is over[^]*0 of 1 per 1 min left[^]*full again in 1 minute/,
  );
  expect(first).toMatch(/few\s*in email[^]*3 of 5 per 1 min left[^]*full again in 2 minutes/);
  expect(second).toContain("4 of 5 per 1 min left");
  expect(await tab.getByRole("region", { name: "email" }).innerText()).toMatch(
    /vip_\*[^]*1,000 per 1 min/,
  );
  await tab.getByRole("link", { name: "Last call" }).nth(1).click();
  await tab.getByRole("region", { name: "Request" }).getByText("few").waitFor();
});

test("customers and roles are found by name, and a customer leads to its keys", async () => {
  const identities = [
    { id: "id_a", externalId: "user_1" },
    { id: "id_b", externalId: "org_fjord", meta: { name: "Fjordline Travel", plan: "pro" } },
    { id: "id_c", externalId: "zzz", meta: { name: "Acme" } },
  ];
  const roles = [{ name: "reader", description: "Reads docs", permissions: ["docs.read"] }];
  const keys = [{ apiId: "api_two", name: "of Fjordline", externalId: "org_fjord" }];
  const world = { ...shownWorld, identities, keys, roles };
  const { tab } = await show({ emulator: { fixtures: [world] } });
  await look(tab, "Customers");
  const customers = tab.getByRole("table", { name: "Customers" }).locator("tbody a");
  expect(await textsOf(customers, 3)).toEqual(["Acme", "Fjordline Travel", "user_1"]);
  await button(tab, "Customer").click();
  await expect.poll(() => customers.first().innerText()).toBe("user_1");
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
  await tab.getByText("No mistakes recorded.").waitFor();

  await createKey(emulator, { apiId: "api_one", expires: 1_900_000_000 });
  await tab.getByRole("region", { name: "expires-in-seconds" }).getByRole("link").click();
  await tab.getByRole("region", { name: "Request" }).getByText("1900000000").waitFor();
  await tab
    .getByRole("region", { name: "unlisted token 1" })
    .getByText("api.api_one.create_key")
    .waitFor();
  await button(tab, "Forget them").click();
  await button(tab, "Forget all findings").click();

  await tab.getByText("No mistakes recorded.").waitFor();
  await untilFocused(button(tab, "Forget them"));
  expect(emulator.findings.list()).toEqual([]);
  await look(tab, "First");
  await textsOf(keyRows(tab), 8);
});

test("a limit shows what is left now, in a window that slides", async () => {
  const hour = 3_600_000;
  const { emulator, tab } = await show({ path: "#view=limits" });
  emulator.clock.set(NOW + hour / 2);
  for (let uses = 0; uses < 10; uses += 1) {
    const use = { identifier: "ann", limit: 10, duration: hour };
    await post(emulator, "/v2/ratelimit.limit", { namespace: "api", ...use });
  }
  const limit = tab.locator(".cards li");
  await limit.getByText("0 of 10 per 1 h left").waitFor();

  emulator.clock.set(NOW + hour + 1_000);
  await limit.getByText("1 of 10 per 1 h left").waitFor();
  await limit.getByText("full again in 1 hour").waitFor();
  emulator.clock.set(NOW + 2 * hour);

  await limit.getByText("10 of 10 per 1 h left").waitFor();
  await limit.getByText("nothing used").waitFor();
});

test("no sentence says more than the journal has", async () => {
  const { emulator, tab } = await show({ emulator: { fixtures: [fixture] } });
  await post(emulator, "/v2/keys.verifyKey", { key: "value_limited" });
  await post(emulator, "/v2/keys.verifyKey", { key: "nobody" });
  for (let call = 0; call < 1_005; call += 1) await listKeys(emulator, { apiId: "api_one" });
  await listKeys(emulator, { apiId: "api_none" });

  await tab.getByRole("button", { name: "Calls 1,008" }).waitFor();
  await tab.getByRole("button", { name: "1 of the last 1,000 refused" }).waitFor();
  const drawer = await openKey(tab, "limited");
  await drawer.getByText("No recorded call used this key.").waitFor();
  await drawer.getByText("1 valid").waitFor();
  await openCalls(tab);
  await tab.getByText("The newest 200 of 1,008 calls.").waitFor();
  await look(tab, "Limits");
  await tab.getByText("No recorded call has used a limit.").waitFor();
});

test("a reply that is shown short says so, and a command that lacks a text says which", async () => {
  const { emulator, tab } = await show({
    context: { permissions: ["clipboard-read", "clipboard-write"] },
  });
  await post(emulator, "/v2/keys.verifyKey", { key: "the_value" });
  await listKeys(emulator, { apiId: "api_one" });
  const calls = await openCalls(tab);

  await calls.first().click();
  await tab.getByText("shortened: the journal does not keep the body").waitFor();
  expect(await button(tab, "Copy: Reply").count()).toBe(0);
  await button(tab, "Copy: Request").waitFor();
  await calls.last().click();
  await tab.getByText("Fill in <key> in it.").waitFor();
  await button(tab, "Copy: Reply").waitFor();
  await button(tab, "Copy as curl").click();

  const copied = () => tab.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toContain(`-d '{"key":"<key>"}'`);
});

test("an edited body stays until it is sent or discarded", async () => {
  const { emulator, tab } = await show();
  const body = tab.getByLabel("Body as JSON");
  await tab.getByRole("link", { name: "Create key" }).click();
  await body.fill('{ "apiId": "api_one", "name": "mine" }');

  await tab.goBack();
  await textsOf(keyRows(tab), 7);
  await tab.getByRole("link", { name: "Create key" }).click();
  expect(await body.inputValue()).toContain("mine");
  await button(tab, "Send").click();
  await tab.getByText("created, after").waitFor();
  expect(await button(tab, "Discard changes").count()).toBe(0);
  await body.fill("{}");
  await button(tab, "Discard changes").click();
  await expect.poll(() => body.inputValue()).toContain("Nightly export");

  expect(emulator.keys.all().map(({ name }) => name)).toContain("mine");
});

test("a call that needs an API, or a key, asks for it first", async () => {
  const { emulator, tab } = await show({
    emulator: { fixtures: [{ workspace: { id: "ws_test" } }] },
  });
  await tab.getByRole("link", { name: "Create key" }).click();
  await tab.getByText("There is no API yet.").waitFor();
  await tab.getByRole("link", { name: "Make one first" }).click();
  await tab.getByRole("heading", { name: "Create an API" }).waitFor();
  await button(tab, "Send").click();
  await expect.poll(() => emulator.apis.count()).toBe(1);
  await tab.goto(`${new URL(tab.url()).origin}/#view=call&operation=keys.verifyKey`);
  await tab.getByText("There is no key yet.").waitFor();
  await emulator.keys.create({ apiId: emulator.apis.all()[0]?.id ?? "", name: "one" });

  await tab.getByText("Fill in <the value of a key> first.").waitFor();
});

import { expect, test } from "vitest";
import type { Locator, Page } from "playwright";
import type { Fixture } from "../../src/index.ts";
import { createKey, post } from "../_emulator.ts";
import {
  button,
  keyRows,
  look,
  show,
  shownWorld,
  textsOf,
  untilFocused,
  useBrowser,
} from "./_page.ts";

useBrowser();

const limit = { limit: 10, duration: 60_000, autoApply: true };

const world: Fixture = {
  ...shownWorld,
  identities: [
    {
      externalId: "user_1",
      meta: { plan: "pro" },
      ratelimits: [
        { name: "requests", ...limit },
        { name: "uploads", ...limit },
      ],
    },
    { externalId: "user_2" },
  ],
  permissions: [
    { name: "Read invoices", slug: "invoices.read", description: "All of them." },
    { name: "invoices.write" },
  ],
  roles: [
    { name: "clerk", description: "In the office.", permissions: ["invoices.read"] },
    { name: "guest" },
  ],
  ratelimitNamespaces: [
    { name: "email", overrides: [{ identifier: "vip_*", limit: 1_000, duration: 60_000 }] },
    { name: "login" },
  ],
};

const given = { emulator: { fixtures: [world] } };

function rows(tab: Page, panel: string): Locator {
  return tab.locator(`.panel.${panel} .rows > li`);
}

function useRows(tab: Page): Locator {
  return tab.getByRole("list", { name: "Latest uses" }).locator("> li");
}

/** Opens the row that contains the text, and the dialog that one of its buttons leads to. */
async function act(tab: Page, panel: string, text: string, name: string): Promise<Locator> {
  const row = rows(tab, panel).filter({ hasText: text });
  await row.waitFor();
  if ((await row.getByRole("button", { expanded: false }).count()) === 1) {
    await row.getByRole("button", { expanded: false }).click();
  }
  await row.getByRole("button", { name, exact: true }).click();
  return tab.getByRole("dialog");
}

function countUse(emulator: Parameters<typeof post>[0], identifier: string, most = 1) {
  const input = { namespace: "email", identifier, limit: most, duration: 60_000 };
  return post(emulator, "/v2/ratelimit.limit", input);
}

test("identities are listed with external id, meta and the number of their rate limits, without a trace", async () => {
  const { emulator, tab } = await show(given);

  await look(tab, "Identities");

  const [first, second] = await textsOf(rows(tab, "identities"), 2);
  expect(first).toMatch(/user_1[^]*{"plan":"pro"}[^]*2 rate limits/);
  expect(second).not.toContain("rate limit");
  await untilFocused(tab.locator(".panel.identities"));
  expect(emulator.requests.list()).toEqual([]);
});

test("identities are searched and paged by the operation", async () => {
  const { emulator, tab } = await show({ ...given, path: "#view=identities" });
  for (let number = 10; number < 40; number += 1) {
    await emulator.identities.create({ externalId: `made_${number}` });
  }
  await textsOf(rows(tab, "identities"), 25);

  await button(tab, "Next").click();
  await tab.getByText("page 2: 7 identities").waitFor();
  await tab.getByLabel("Find identities").fill("MADE_1");

  const found = await textsOf(rows(tab, "identities"), 10);
  expect(found.every((text) => text.includes("made_1"))).toBe(true);
  await tab.getByLabel("Find identities").fill("none of them");
  await tab.keyboard.press("Enter");
  await tab.getByText("No identity contains this text.").waitFor();
});

test("an identity leads to its keys in each API", async () => {
  const { tab } = await show({ ...given, path: "#view=identities" });
  const row = rows(tab, "identities").first();
  await row.getByRole("button").click();
  await row.getByText("requests 10 per 1 min").waitFor();

  await row.getByRole("link", { name: "Its keys in First" }).click();

  const keys = await textsOf(keyRows(tab), 2);
  expect(keys.every((text) => text.includes("user_1"))).toBe(true);
  await tab.getByText("only user_1").waitFor();
});

test("an identity is created, changed and deleted, and its keys stay", async () => {
  const { emulator, tab } = await show({ ...given, path: "#view=identities" });
  await createKey(emulator, { apiId: "api_one", name: "owned", externalId: "user_9" });
  await textsOf(rows(tab, "identities"), 3);
  await button(tab, "Create an identity").click();
  await tab.getByRole("dialog").getByLabel("externalId").fill("user_8");
  await tab.getByRole("dialog").getByLabel("meta").fill('{ "plan": "free" }');
  await button(tab, "Create").click();
  await textsOf(rows(tab, "identities"), 4);

  await act(tab, "identities", "user_8", "Change");
  await button(tab, "Add to ratelimits").click();
  const changing = tab.getByRole("group", { name: "ratelimits 1" });
  await changing.getByLabel("name").fill("calls");
  await changing.getByLabel("limit required").fill("7");
  await changing.getByLabel("duration").fill("1000");
  await changing.getByLabel("autoApply").selectOption("true");
  await button(tab, "Save").click();
  await rows(tab, "identities").getByText("calls 7 per 1 s").waitFor();

  expect(emulator.requests.list().at(-1)?.input).toEqual({
    identity: emulator.identities.named("user_8")?.id,
    ratelimits: [{ name: "calls", limit: 7, duration: 1_000, autoApply: true }],
  });
  const deleting = await act(tab, "identities", "user_9", "Delete");
  await deleting.getByText("Its keys stay valid, and belong to no identity then.").waitFor();
  await deleting.getByRole("button", { name: "Delete" }).click();
  await textsOf(rows(tab, "identities"), 3);
  expect(emulator.identities.named("user_9")).toBeUndefined();
  const { body } = await post(emulator, "/v2/apis.listKeys", { apiId: "api_one" });
  const owned = body.data.find(({ name }: { readonly name: string }) => name === "owned");
  expect(owned).toMatchObject({ enabled: true });
  expect(owned).not.toHaveProperty("identity");
});

test("a namespace shows its overrides and the latest uses of it", async () => {
  const { emulator, tab } = await show({ ...given, path: "#view=limits" });
  await countUse(emulator, "user_1", 2);
  await countUse(emulator, "user_1", 2);
  await countUse(emulator, "user_1", 2);
  await countUse(emulator, "vip_1", 2);
  await post(emulator, "/v2/ratelimit.limit", { namespace: "email", identifier: "user_2" });
  const two = ["user_1", "user_3"].map((identifier) => {
    return { namespace: "email", identifier, limit: 2, duration: 60_000 };
  });
  await post(emulator, "/v2/ratelimit.multiLimit", two);
  await post(emulator, "/v1/ratelimits.limit", { ...two[1], identifier: "user_4" });

  const shown = await textsOf(useRows(tab), 8);

  expect(shown.map((text) => text.split("\n").map((part) => part.trim())).map(summaryOf)).toEqual([
    "user_4 allowed 1 of 2 left",
    "user_1 refused 0 of 2 left",
    "user_3 not counted 2 of 2 left",
    "user_2 400",
    "vip_1 allowed 999 of 1,000 left",
    "user_1 refused 0 of 2 left",
    "user_1 allowed 0 of 2 left",
    "user_1 allowed 1 of 2 left",
  ]);
  expect((await textsOf(tab.locator(".limits .part").first().locator(".rows > li"), 1))[0]).toMatch(
    /vip_\*[^]*1,000 per 1 min/,
  );
  await tab.getByRole("navigation", { name: "Namespaces" }).getByText("login").click();
  await tab.getByText("The journal has no use of this namespace.").waitFor();
});

/** The identifier, the outcome and the rest of a row, without the operation and the time. */
function summaryOf(parts: readonly string[]): string {
  const shown = parts.filter((part) => part !== "" && !/limit$|^unkey|invalid|now|ago/i.test(part));
  return shown.join(" ");
}

test("overrides are set, changed and deleted", async () => {
  const { emulator, tab } = await show({ ...given, path: "#view=limits" });
  await button(tab, "Set an override").click();
  const dialog = tab.getByRole("dialog");
  await dialog.getByLabel("identifier").fill("slow");
  await dialog.getByLabel("limit").fill("1");
  await dialog.getByLabel("duration").fill("1000");
  await button(tab, "Save").click();
  await tab.getByText("page 1: 2 overrides").waitFor();

  await act(tab, "limits", "slow", "Change");
  expect(await dialog.getByLabel("duration").inputValue()).toBe("1000");
  await dialog.getByLabel("limit").fill("5");
  await button(tab, "Save").click();
  await rows(tab, "limits").getByText("5 per 1 s").waitFor();
  await act(tab, "limits", "vip_*", "Delete");
  await dialog.getByText("is deleted from email").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await tab.getByText("page 1: 1 override,").waitFor();

  expect(emulator.ratelimitNamespaces.named("email")?.overrides).toMatchObject([
    { identifier: "slow", limit: 5, duration: 1_000 },
  ]);
});

test("the first use of a namespace makes it, and each use shows what is left", async () => {
  const { emulator, tab } = await show({ path: "#view=limits" });
  await tab.getByText("A namespace is made by its first use.").waitFor();
  await button(tab, "Use a new namespace").click();
  const dialog = tab.getByRole("dialog", { name: "Count a use" });
  await dialog.getByLabel("namespace").fill("made");
  await dialog.getByLabel("identifier").fill("user_1");
  await dialog.getByLabel("limit").fill("1");
  await dialog.getByLabel("duration").fill("60000");

  await button(tab, "Count").click();
  await dialog.getByText("0 of 1 left").waitFor();
  await dialog.getByText("allowed").waitFor();
  await button(tab, "Count").click();
  await dialog.getByText("refused").waitFor();
  await tab.keyboard.press("Escape");

  await textsOf(useRows(tab), 2);
  await tab.getByRole("heading", { name: "made" }).waitFor();
  expect(emulator.ratelimitNamespaces.named("made")?.id).toBeDefined();
});

test("roles and permissions are listed with description, slug and permissions", async () => {
  const { tab } = await show(given);

  await look(tab, "Roles");

  const [clerk, guest] = (await textsOf(rows(tab, "roles"), 2)).toSorted();
  expect(clerk).toMatch(/clerk[^]*In the office\.[^]*invoices\.read/);
  expect(guest?.trim()).toBe("guest");
  const permissions = (await textsOf(rows(tab, "permissions"), 2)).toSorted();
  expect(permissions[0]).toMatch(/invoices\.read[^]*Read invoices[^]*All of them\./);
});

test("roles and permissions are created and deleted, and the dialog names what goes", async () => {
  const { emulator, tab } = await show({ ...given, path: "#view=roles" });
  const dialog = tab.getByRole("dialog");
  await button(tab, "Create a role").click();
  await dialog.getByLabel("name").fill("editor");
  await dialog.getByLabel("permissions").fill("texts.read, texts.write");
  await button(tab, "Create").click();
  await textsOf(rows(tab, "roles"), 3);
  await textsOf(rows(tab, "permissions"), 4);
  await button(tab, "Create a permission").click();
  await dialog.getByLabel("name").fill("Print");
  await dialog.getByLabel("slug").fill("texts.print");
  await button(tab, "Create").click();
  await textsOf(rows(tab, "permissions"), 5);

  await act(tab, "permissions", "texts.read", "Delete");
  await dialog.getByText("removed from all keys and roles that have it").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await textsOf(rows(tab, "permissions"), 4);
  expect(emulator.roles.named("editor")?.permissions).toEqual(["texts.write"]);
  await act(tab, "roles", "editor", "Delete");
  await dialog.getByText("removed from all keys that have it").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();

  await textsOf(rows(tab, "roles"), 2);
  await untilFocused(tab.locator(".panel.roles"));
  expect(emulator.permissions.named("texts.write")).toBeDefined();
});

test("a list that the token may not read is refused with the message of the operation", async () => {
  const permissions = ["latchkey.control", "identity.*.read_identity"];
  const tokens = [{ token: "reader", permissions }];
  const { tab } = await show({
    emulator: { fixtures: [{ ...world, tokens }] },
    path: "#token=reader&view=identities",
    told: /status of 403/,
  });
  await textsOf(rows(tab, "identities"), 2);

  await look(tab, "Roles");

  await tab
    .locator(".panel.roles")
    .getByRole("alert")
    .getByText("the token needs rbac.*.read_role")
    .waitFor();
});

test("a wide window shows the chosen records beside the faults, and a reload keeps both", async () => {
  const { tab } = await show(given);
  await look(tab, "Roles");
  await textsOf(rows(tab, "roles"), 2);

  await look(tab, "Faults");
  await tab.reload();

  await tab.getByRole("heading", { name: "Faults" }).waitFor();
  await textsOf(rows(tab, "roles"), 2);
  await look(tab, "Keys");
  await textsOf(keyRows(tab), 7);
});

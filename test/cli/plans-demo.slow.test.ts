import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startProcess } from "../../src/node.ts";
import { runCli } from "../_cli.ts";
import { givenFolder } from "./_folder.ts";

const DAY = 86_400_000;

const FIXTURE = `
tokens:
  - { token: demo_admin, permissions: ["*"] }
apis:
  - { id: api_forecast, name: Forecast, defaultPrefix: fc }
roles: # the plans
  - { name: starter, permissions: [forecast.read] }
  - { name: scale, permissions: [forecast.read, history.read] }
  - { name: enterprise, permissions: [forecast.read, history.read, alerts.write] }
identities: # the customers; ids that are not given differ at each start
  - { id: id_bluebird, externalId: bluebird, meta: { name: Bluebird Bikes, plan: starter } }
  - { id: id_fjordline, externalId: fjordline, meta: { name: Fjordline Travel, plan: scale } }
  - { id: id_harbour, externalId: harbour, meta: { name: Harbour Logistics, plan: scale } }
  - { id: id_northwind, externalId: northwind, meta: { name: Northwind Maps, plan: enterprise } }
keys:
  - apiId: api_forecast
    name: Trial
    externalId: bluebird
    roles: [starter]
    createdAt: 10d ago
    expires: in 30d
generate:
  - { apiId: api_forecast, count: 1500 }
`;
const PLANS: Readonly<Record<string, string>> = {
  bluebird: "starter",
  fjordline: "scale",
  harbour: "scale",
  northwind: "enterprise",
};

test("a fixture with customers and plans makes 1,500 recent keys, the same at each start on one day", async () => {
  const file = join(await givenFolder(), "plans.yaml");
  await writeFile(file, FIXTURE);
  const keysOfOneStart = async () => {
    await using running = await startProcess({ fixtures: [file], randomSeed: 42 });
    const { now } = await running.clock.get();
    const keys = await running.keys.all();
    return {
      now,
      made: keys.filter(({ name }) => name !== "Trial"),
      trial: keys.find(({ name }) => name === "Trial"),
    };
  };

  const check = await runCli(["check", file]);
  const first = await keysOfOneStart();
  const second = await keysOfOneStart();

  expect(check).toMatchObject({ code: 0, stderr: "" });
  expect(check.stdout).toBe("ok: ws_local with 1 API and 1 key, and 1500 generated keys\n");
  expect(first.made).toHaveLength(1500);
  for (const { ownerId, roles } of first.made) {
    expect(roles).toEqual([PLANS[ownerId ?? ""]]);
  }
  expect(new Set(first.made.map(({ ownerId }) => ownerId)).size).toBe(4);
  const ages = first.made.map(({ createdAt }) => first.now - createdAt);
  expect(Math.min(...ages)).toBeGreaterThan(0);
  expect(ages.filter((age) => age < 30 * DAY).length).toBeGreaterThan(30);
  expect(first.trial?.expires).toBeGreaterThan(first.now + 29 * DAY);
  expect(first.trial?.expires).toBeLessThanOrEqual(first.now + 30 * DAY);
  // At midnight the day changes between the starts.
  if (Math.floor(first.now / DAY) === Math.floor(second.now / DAY)) {
    expect(second.made).toEqual(first.made);
  }
});

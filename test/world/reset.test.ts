import { expect, test } from "vitest";
import type { Emulator, EmulatorOptions } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, post } from "../_emulator.ts";

const key = { apiId: "api_one" };

const options: EmulatorOptions = {
  fixtures: [
    {
      workspace: { id: "ws_one" },
      apis: [{ id: "api_one", storeEncryptedKeys: true }, { id: "api_two" }],
      roles: [{ name: "admin", permissions: ["write"] }],
      identities: [{ externalId: "ann", meta: { plan: "pro" } }],
      permissions: ["read"],
      ratelimitNamespaces: [
        { name: "email", overrides: [{ identifier: "*", limit: 5, duration: "1m" }] },
      ],
      migrations: [{ id: "mig_one" }],
      keys: [{ ...key, externalId: "ann", roles: ["admin"], recoverable: true }, key],
      faults: [{ operation: "apis.listKeys", latency: 1, times: 2 }],
    },
  ],
  quirks: ["stale-list"],
  generate: 20,
};

/** All state, and what the next calls return. */
async function stateOf(emulator: Emulator) {
  const { clock, faults, requests } = emulator;
  const state = {
    snapshot: emulator.snapshot(),
    faults: faults.list().map((fault) => fault.toJSON()),
    clock: [clock.now(), clock.isFrozen],
    requests: requests.count(),
    workspaces: emulator.workspaces.all().map((workspace) => workspace.toJSON()),
  };
  const list = await listKeys(emulator, { ...key, decrypt: true });
  const made = await createKey(emulator, {
    ...key,
    externalId: "new",
    roles: ["new"],
    permissions: ["new"],
  });
  const refused = await listKeys(emulator, "", { token: null });
  const added = emulator.faults.add({ status: 500, probability: 0.5 });
  return JSON.stringify([state, list.body, made.body, refused.body, emulator.snapshot(), added]);
}

test("reset restores records, faults, clock, journal and the ids that come next", async () => {
  const fresh = await givenEmulator(options);
  const emulator = await givenEmulator(options);
  await listKeys(emulator, key);
  for (const body of [key, { ...key, externalId: "bob", roles: ["r"], permissions: ["p"] }]) {
    await createKey(emulator, body);
  }
  await createKey(emulator, {}, { token: null });
  await emulator.keys.updateMany((q) => q.where(key), { data: (each) => void (each.name = "x") });
  emulator.keys.delete((q) => q.where({ apiId: "api_two" }));
  emulator.identities.clear();
  emulator.roles.clear();
  emulator.permissions.clear();
  emulator.migrations.clear();
  for (const namespace of ["email", "sms"]) {
    const use = { namespace, identifier: "ann", limit: 9, duration: 60_000 };
    await post(emulator, "/v2/ratelimit.limit", use);
  }
  await post(emulator, "/v2/ratelimit.deleteOverride", { namespace: "email", identifier: "*" });
  emulator.apis.delete((q) => q.where({ id: "api_two" }));
  await emulator.tokens.create({ token: "root", permissions: ["*"] });
  await emulator.workspaces.create({ id: "ws_two" });
  await emulator.seed({ keys: [key], faults: [{ status: 500, probability: 0.001 }] });
  emulator.faults.clear();
  emulator.faults.add({ status: 500 });
  await listKeys(emulator, key, { token: "root" });
  emulator.clock.set("2030-01-01");
  emulator.clock.resume();

  await emulator.reset();

  expect(await stateOf(emulator)).toBe(await stateOf(fresh));
});

test("reset sets a clock without a start time back to the running real time", async () => {
  const emulator = await givenEmulator({ now: undefined });
  emulator.clock.set(0);
  emulator.clock.freeze();

  await emulator.reset();

  expect(emulator.clock.isFrozen).toBe(false);
  expect(Math.abs(emulator.clock.now() - Date.now())).toBeLessThan(10_000);
});

test("a reset of a workspace that was deleted brings the same collections back", async () => {
  const emulator = await givenEmulator();
  const { apis, keys } = emulator;
  let goOn = () => {};
  const told = new Promise<void>((resolve) => (goOn = resolve));
  const data = async (api: { name?: string | undefined }) => {
    await told;
    api.name = "late";
  };
  const update = apis.update({ id: "api_one" }, { data });

  emulator.workspaces.clear();
  await emulator.reset();
  goOn();

  await expect(update).rejects.toThrow(
    "api: the record was deleted, replaced or changed by something else",
  );
  expect(emulator.keys).toBe(keys);
  await createKey(emulator, key);
  expect(keys.count()).toBe(1);
  expect(apis.get("api_one")?.name).toBeUndefined();
});

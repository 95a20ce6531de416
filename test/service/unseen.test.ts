import { expect, test } from "vitest";
import { createKey, givenEmulator, givenLogged, listKeys, openWorld } from "../_emulator.ts";

const key = { apiId: "api_one" };
const unseen = { headers: { "X-Latchkey-Unseen": "true" } };

test("an unseen call meets no fault and is neither logged nor recorded", async () => {
  const lines: string[] = [];
  const emulator = await givenEmulator({ log: ({ kind }) => lines.push(kind) });
  await createKey(emulator, { ...key, name: "CI" });
  emulator.faults.add({ operation: "apis.listKeys", status: 500, times: 1 });
  const before = JSON.stringify([emulator.faults.list(), emulator.requests.list(), lines]);

  const looked = await listKeys(emulator, key, unseen);
  await listKeys(emulator, { apiId: "api_none" }, unseen);

  expect(looked.status).toBe(200);
  expect(looked.body).toMatchObject({ keys: [{ name: "CI" }], total: 1 });
  expect(JSON.stringify([emulator.faults.list(), emulator.requests.list(), lines])).toBe(before);
  expect((await listKeys(emulator, key)).status).toBe(500);
});

test("an unseen call gets a fixed request id and does not advance the id sequence", async () => {
  const [watched, alone] = [await givenEmulator(), await givenEmulator()];

  const looked = await listKeys(watched, key, unseen);
  const [after, without] = [await listKeys(watched, key), await listKeys(alone, key)];

  const idOf = ({ headers }: { readonly headers: Headers }) => headers.get("unkey-request-id");
  expect(idOf(looked)).toBe("req_1111111111111111");
  expect(idOf(after)).toBe(idOf(without));
});

test("an unseen call needs a token and permissions like any other call", async () => {
  const tokens = [{ token: "writer", permissions: ["api.*.create_key"] }];
  const emulator = await givenEmulator({ fixtures: [{ ...openWorld, tokens }] });

  expect((await listKeys(emulator, key, { ...unseen, token: null })).status).toBe(401);
  expect((await listKeys(emulator, key, { ...unseen, token: "writer" })).status).toBe(403);
});

test("X-Latchkey-Unseen has no effect with a value other than true", async () => {
  const emulator = await givenEmulator();

  await listKeys(emulator, key, { headers: { "X-Latchkey-Unseen": "false" } });

  expect(emulator.requests.count()).toBe(1);
});

test("an unseen call logs no warning, and the next call with the same mistake still does", async () => {
  const { emulator, warnings } = await givenLogged();

  await listKeys(emulator, { ...key, colour: "red" }, unseen);
  expect(warnings).toEqual([]);

  await listKeys(emulator, { ...key, colour: "red" });
  expect(warnings).toEqual([expect.stringContaining("apis.listKeys: colour")]);
});

test("X-Latchkey-Unseen has no effect on an operation that creates or changes", async () => {
  const emulator = await givenEmulator();
  emulator.faults.add({ status: 503, times: 1 });

  const { status } = await createKey(emulator, key, unseen);

  expect(status).toBe(503);
  expect(emulator.requests.count({ operation: "keys.createKey" })).toBe(1);
});

test("an unseen call bypasses the cached pages of the quirk stale-list and does not refresh them", async () => {
  const emulator = await givenEmulator({ quirks: ["stale-list"] });
  const count = async (options = {}) => (await listKeys(emulator, key, options)).body.total;

  await count(unseen);
  await createKey(emulator, key);
  expect([await count(unseen), await count()]).toEqual([1, 1]);
  await createKey(emulator, key);

  expect([await count(), await count(unseen), await count()]).toEqual([1, 2, 1]);
});

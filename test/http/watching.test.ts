import { expect, test } from "vitest";
import { connect } from "../../src/control/client/connect.ts";
import { createKey, givenEmulator } from "../_emulator.ts";
import { givenServer } from "../_server.ts";
import { listing, watcher, world } from "./_access.ts";
import { API_ONE, control, stateOf, uses } from "./_control.ts";

const { token } = watcher;

test("a token that may only watch sees what others see, and is refused every change", async () => {
  await using served = await givenServer({ fixtures: [listing] });
  const before = stateOf(served.emulator);

  for (const { body, call, isForWatching, isOpen, status } of uses) {
    const shown = await control(served, call, { token, body });
    if (isOpen) continue;
    expect([call, shown.status]).toEqual([call, isForWatching ? status : 403]);
    if (isForWatching) {
      const all = await control(served, call, { token: "root", body });
      const own = { mayControl: false, permissions: watcher.permissions };
      expect(shown.body).toEqual(call === "GET /workspace" ? { ...all.body, ...own } : all.body);
    } else {
      expect(shown.body.error.message).toContain("needs the permission latchkey.control or *");
      expect(shown.body.error.message).not.toContain("latchkey.watch");
    }
  }

  expect(stateOf(served.emulator)).toEqual(before);
});

test("GET /workspace tells whether the token may change things", async () => {
  await using served = await givenServer({ fixtures: [listing] });
  const mayControl = async (sent: string) =>
    (await control(served, "GET /workspace", { token: sent })).body.mayControl;

  expect([await mayControl("root"), await mayControl("ops")]).toEqual([true, true]);
  expect(await mayControl(token)).toBe(false);
});

test("a token that may only watch needs its other permissions for operations", async () => {
  const emulator = await givenEmulator({ fixtures: [listing] });

  expect((await createKey(emulator, API_ONE, { token })).status).toBe(403);
});

test("if the only listed token may only watch, a control token is made", async () => {
  const fixtures = [{ ...world, tokens: [watcher] }];
  const emulator = await givenEmulator({ fixtures });

  expect(emulator.controlToken).toMatch(/^control_/);
  expect(emulator.controls({ header: () => `Bearer ${token}` })).toBeUndefined();
});

test("a snapshot whose only token may only watch is refused", async () => {
  await using served = await givenServer({ fixtures: [listing] });
  const client = connect(served.url, { token: "root" });

  await expect(client.restore({ ...world, tokens: [watcher] })).rejects.toThrow(
    "tokens: expected one with the permission latchkey.control or *",
  );
});

test("the events of a token that may only watch end when it is deleted", async () => {
  await using served = await givenServer({ fixtures: [listing] });
  const headers = { Authorization: `Bearer ${token}` };
  const { body, status } = await fetch(`${served.url}/_latchkey/events`, { headers });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await reader.read();

  await served.emulator.tokens.delete({ token });
  let last = await reader.read();
  while (!last.done) last = await reader.read();

  expect([status, last.done]).toEqual([200, true]);
});

test("the token of a client that may only watch reads records and is refused to change the clock", async () => {
  await using served = await givenServer({ fixtures: [listing] });
  const client = connect(served.url, { token });

  expect(await client.keys.findByValue("value_of_1")).toMatchObject({ id: "key_1" });
  await expect(client.clock.advance("1h")).rejects.toThrow("latchkey.control");
  await expect(client.snapshot()).rejects.toThrow("latchkey.control");
});

import { expect, test } from "vitest";
import type { Fixture } from "../../src/index.ts";
import { createKey, givenEmulator, post } from "../_emulator.ts";
import { givenServer } from "../_server.ts";
import { listing, watcher, world } from "./_access.ts";
import { API_ONE, control, records, stateOf, uses } from "./_control.ts";

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

test("GET /workspace shows whether the token may change things", async () => {
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

/** The value of a key, a token, and a secret that is recognised only by the name of its member. */
const [VALUE, TOKEN, OTHER] = ["marked_value", "marked_token", "marked_other"];
const limit = { name: VALUE, limit: 5, duration: 60_000, autoApply: true };
/** A record of each kind, with a secret in each place that takes a text. */
const marked: Fixture = {
  workspace: { id: "ws_test", name: VALUE },
  apis: [{ id: "api_one", name: VALUE }],
  identities: [
    {
      id: "id_1",
      externalId: VALUE,
      meta: { name: TOKEN, [TOKEN]: [VALUE], deep: [{ apiKey: OTHER }] },
      ratelimits: [{ ...limit, name: TOKEN }],
    },
  ],
  roles: [{ id: "role_1", name: VALUE, description: TOKEN, permissions: [VALUE] }],
  permissions: [{ id: "perm_1", name: VALUE, slug: VALUE, description: TOKEN }],
  ratelimitNamespaces: [
    {
      id: "rlns_1",
      name: VALUE,
      overrides: [{ identifier: TOKEN, limit: 1, duration: 60_000 }],
    },
  ],
  migrations: [...(records.migrations ?? []), { id: VALUE }],
  keys: [
    {
      ...API_ONE,
      id: "key_1",
      key: "value_of_1",
      name: VALUE,
      externalId: VALUE,
      meta: { note: `was "${TOKEN}"`, token: OTHER },
      roles: [VALUE],
      permissions: [VALUE],
      ratelimits: [limit],
    },
    { ...API_ONE, id: "key_2", key: VALUE },
  ],
  tokens: [{ token: "root", permissions: ["*"] }, { token: TOKEN, permissions: ["*"] }, watcher],
  faults: [
    { operation: "keys.verifyKey", match: { key: OTHER }, latency: 0 },
    {
      match: { name: VALUE, meta: { password: OTHER } },
      headers: { "X-Api-Key": OTHER, "X-Note": VALUE },
      latency: 0,
    },
  ],
};

async function givenMarked() {
  const served = await givenServer({ fixtures: [marked], recordHeaders: ["x-note"] });
  const headers = { "X-Note": VALUE };
  const call = (path: string, body: object) =>
    post(served, path, body, { token: TOKEN, origin: served.url, headers });
  await call("/v2/keys.createKey", { ...API_ONE, name: TOKEN, meta: { token: OTHER } });
  await call("/v2/keys.verifyKey", { key: "value_of_1" });
  await call("/v2/keys.verifyKey", { key: OTHER });
  return served;
}

test("no control route shows a secret to a token that may only watch", async () => {
  await using served = await givenMarked();
  const watched = uses.filter(({ isForWatching }) => isForWatching);
  const further = ["usage?by=key", "usage?by=externalId", "keys?usage=true&sort=name"].concat(
    ["requests?wait=1&status=418", "keys?search=marked_v", "roles?search=marked_v"],
    ["migrations/marked_value"],
  );
  const calls = [...watched, ...further.map((path) => ({ call: `GET /${path}`, body: undefined }))];

  for (const { body, call } of calls) {
    const shown = await control(served, call, { token, body });
    const head = JSON.stringify([...shown.headers]);
    expect([call, JSON.stringify(shown.body), head].join(" ")).not.toMatch(
      /(?<!search=)(?<!\/)marked/,
    );
  }
  const all = await control(served, "GET /faults", { token: "root" });
  expect(all.body.faults[0].match).toEqual(marked.faults?.[0]?.match);
  const { body } = await control(served, "GET /faults", { token });
  expect(body.faults).toMatchObject([
    { operation: "keys.verifyKey", match: { key: "***" }, hits: 1 },
    {
      match: { name: "***", meta: { password: "***" } },
      headers: { "X-Api-Key": "***", "X-Note": "***" },
      latency: 0,
      hits: 0,
    },
  ]);
});

test("the events of a token that may only watch show no secret", async () => {
  await using served = await givenMarked();
  const headers = { Authorization: `Bearer ${token}` };
  const stop = new AbortController();
  const { body } = await fetch(`${served.url}/_latchkey/events`, { headers, signal: stop.signal });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let received = "";
  while (!received.includes("event: change")) {
    received += decoder.decode((await reader.read()).value, { stream: true });
  }
  stop.abort();

  expect(received.match(/event: request/g)).toHaveLength(3);
  expect(received).not.toContain("marked");
});

test("a token that may only watch cannot spell out a masked name by searching", async () => {
  await using served = await givenMarked();
  const found = async (sent: string) =>
    (await control(served, "GET /apis?search=marked_v", { token: sent })).body.total;

  expect([await found("root"), await found(token)]).toEqual([1, 0]);
});

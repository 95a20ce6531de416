import { expect, test } from "vitest";
import * as zod from "zod";
import * as mini from "zod/mini";
import type { LogEntry } from "../../src/index.ts";
import { listOf, text } from "../../src/schema/fields.ts";
import { createKey, givenEmulator, listKeys, send } from "../_emulator.ts";
import { givenServer } from "../_server.ts";

test.each([
  ["200,000 nested arrays that do not end", "[".repeat(200_000)],
  ["200,000 nested arrays", "[".repeat(200_000) + "]".repeat(200_000)],
  [
    "100,000 nested objects in meta",
    `{"apiId":"api_one","meta":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`,
  ],
  [
    "200,000 nested arrays in an unknown field",
    `{"apiId":5,"x":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
  ],
  [
    "200,000 nested arrays in roles",
    `{"apiId":"api_one","roles":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
  ],
  [
    "100,000 unknown fields",
    JSON.stringify({ ...Array.from({ length: 100_000 }, () => 1), apiId: 5 }),
  ],
])("%s are refused with 400 over HTTP", async (_, text) => {
  await using served = await givenServer();

  const { status, body: answer } = await createKey(served, text, { origin: served.url });

  expect(status).toBe(400);
  expect(answer.error.code).toBe("BAD_REQUEST");
  expect(answer.error.message.length).toBeLessThan(1_000);
});

test("a refusal of more than 100 problems names the first 100", async () => {
  await using served = await givenServer();

  for (const count of [5_000, 49_000]) {
    const roles = Array.from({ length: count }, () => 1);
    const { status, body } = await createKey(
      served,
      { apiId: "api_one", roles, permissions: roles },
      { origin: served.url },
    );

    expect(status).toBe(400);
    expect(body.error.message).toMatch(/roles\.99: [^;]+; and more$/);
  }
});

test("long lists are read in the same way in a program that makes schemas with zod itself", () => {
  // From the first list or object on, `zod` wraps the parsers of all new schemas, unlike `zod/mini`.
  zod.array(zod.string());
  const list = listOf(text(), "names", { max: 10_000 });

  const [few, ...many] = [5, 49_000, 49_000].map((count) => {
    const { error } = mini.safeParse(
      list,
      Array.from({ length: count }, () => 1),
    );
    return error?.issues.map(({ path }) => path.join("."));
  });

  expect(few).toEqual(["0", "1", "2", "3", "4"]);
  for (const paths of many) {
    expect(paths).toHaveLength(1_001);
    expect(paths?.[999]).toBe("999");
  }
});

test("members named __proto__ and constructor are kept in meta and pollute no prototype", async () => {
  const emulator = await givenEmulator();
  const meta =
    '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"a":"\\ud800"}';

  const { status } = await createKey(
    emulator,
    `{"apiId":"api_one","meta":${meta},"__proto__":{"enabled":false}}`,
  );
  const response = await emulator.fetch(
    new Request("http://emulator.test/v1/apis.listKeys?apiId=api_one", {
      headers: { Authorization: "Bearer t" },
    }),
  );

  expect(status).toBe(200);
  const text = await response.text();
  expect(text).toContain(`"meta":${meta}`);
  expect(text).toContain('"enabled":true');
  expect(({} as Record<string, unknown>)["isAdmin"]).toBeUndefined();
});

test("lone surrogates come back as they were sent", async () => {
  await using served = await givenServer();
  const body = '{"apiId":"api_one","name":"\\ud800","externalId":"\\udc00","roles":["\\ud800"]}';

  const created = await createKey(served, body, { origin: served.url });
  const { body: listed } = await listKeys(served, { apiId: "api_one" }, { origin: served.url });

  expect(created.status).toBe(200);
  expect(listed.keys[0]).toMatchObject({ name: "\ud800", ownerId: "\udc00", roles: ["\ud800"] });
});

test("the log contains no token and no key value, and errors repeat names and ids alone", async () => {
  const secret = "sk_live_4uQ9zXcVbNm2LkJhGfDs";
  const entries: LogEntry[] = [];
  const answers: string[] = [];
  for (const strict of [false, true]) {
    const emulator = await givenEmulator({
      strict,
      fixtures: [
        {
          tokens: [{ token: secret, permissions: ["api.*.create_key", "api.*.read_key"] }],
          apis: [{ id: "api_one", storeEncryptedKeys: true }],
          keys: [{ apiId: "api_one", key: `${secret}x`, recoverable: true }],
        },
      ],
      log: (entry) => entries.push(entry),
    });
    const options = { token: secret };
    const created = await createKey(emulator, { apiId: "api_one" }, options);
    for (const body of [
      { [secret]: 1 },
      { apiId: secret },
      { apiId: "api_one", name: 5, refill: { interval: secret } },
      secret,
      `"${secret}`,
    ]) {
      answers.push(JSON.stringify(await createKey(emulator, body, options)));
    }
    for (const query of [
      `${secret}=1`,
      `apiId=${secret}`,
      `apiId=api_one&limit=${secret}`,
      `apiId=api_one&cursor=${secret}`,
    ]) {
      await listKeys(emulator, query, options);
    }
    for (const path of [
      `/v1/${secret}`,
      `/${secret}/keys.createKey?key=${secret}`,
      `/v1/keys.createKey/${secret}\n`,
    ]) {
      await send(
        emulator,
        new Request(`http://emulator.test${path}`, {
          method: "PATCH",
          headers: { Authorization: `Bearer ${secret}` },
        }),
      );
    }
    await createKey(emulator, {}, { token: `${secret}z` });
    await createKey(emulator, {}, { token: null, headers: { Authorization: `Basic ${secret}` } });
    expect(created.status).toBe(200);
    expect(JSON.stringify([entries, answers])).not.toContain(created.body.key);
  }

  expect(entries.length).toBeGreaterThan(20);
  expect(JSON.stringify(entries)).not.toContain(secret);
  // Errors repeat the id of an API, and with `strict` the names of unknown fields, as they were sent.
  expect(answers.filter((answer) => answer.includes(secret))).toHaveLength(3);
  for (const entry of entries) {
    if (entry.kind === "request") expect(`${entry.path}${entry.message}`).not.toMatch(/[\r\n]/);
  }
});

test("the log has the length of a field name with control characters", async () => {
  const messages: string[] = [];
  const log = (entry: LogEntry) => {
    if (entry.kind === "warning") messages.push(entry.message);
  };
  const emulator = await givenEmulator({ log });

  await createKey(emulator, { apiId: "api_one", "first\nsecond\u001b[31m": 1 });

  expect(messages).toEqual([expect.stringContaining("(17 characters): the service does not know")]);
});

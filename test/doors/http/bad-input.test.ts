import { expect, test } from "vitest";
import { createKey, givenEmulator, listKeys, post } from "../../_emulator.ts";
import { givenServer } from "../../_server.ts";

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

test("a refusal names the first 100 problems, and the length of too long a list", async () => {
  await using served = await givenServer();
  const refusalOf = async (count: number) => {
    const roles = Array.from({ length: count }, () => 1);
    const body = { apiId: "api_one", roles, permissions: roles };
    const answer = await createKey(served, body, { origin: served.url });
    expect(answer.status).toBe(400);
    return answer.body.error.message;
  };

  expect(await refusalOf(5_000)).toMatch(/roles\.99: [^;]+; and more$/);
  expect(await refusalOf(49_000)).toContain(
    "roles: expected an array of role names, at most 10000, got an array of 49000 items",
  );
});

test("members named __proto__ and constructor are kept in meta and pollute no prototype", async () => {
  const emulator = await givenEmulator();
  const meta = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}';

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

test("half a pair of surrogates is read as U+FFFD, in texts and in names of members", async () => {
  await using served = await givenServer();
  const origin = { origin: served.url };
  const meta = String.raw`{"\udc00\ud83d\ude00":"\\ud800 \ud800\ud83d\ude00","n":["\uDFFF\uD800"]}`;
  const body = String.raw`{"apiId":"api_one","name":"a\ud800","externalId":"\udc00","roles":["\uD800"],"meta":${meta}}`;

  const created = await createKey(served, body, origin);
  const { body: listed } = await listKeys(served, { apiId: "api_one" }, origin);

  expect(created.status).toBe(200);
  expect(listed.keys[0]).toMatchObject({
    name: "a\ufffd",
    ownerId: "\ufffd",
    roles: ["\ufffd"],
    meta: { "\ufffd😀": String.raw`\ud800` + " \ufffd😀", n: ["\ufffd\ufffd"] },
  });
  // Names that become the same are one member, and the last value counts.
  const twice = String.raw`{"apiId":"api_one","meta":{"\ud800":1,"\ud801":2}}`;
  const { body: made } = await post(served, "/v2/keys.createKey", twice, origin);
  const found = await post(served, "/v2/keys.getKey", { keyId: made.data.keyId }, origin);
  expect(found.body.data.meta).toEqual({ "\ufffd": 2 });
});

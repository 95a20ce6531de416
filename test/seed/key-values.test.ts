import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/index.ts";
import { hashValue } from "../../src/state/keys/key-secret.ts";
import { createKey, givenEmulator } from "../_emulator.ts";
import { givenServer } from "../_server.ts";

const VALUE = "sk_a_value_that_a_test_gives";
const HASH = hashValue(VALUE);
const apis = [{ id: "api_one", storeEncryptedKeys: true }];
const byValue = { apiId: "api_one", key: VALUE };
const byHash = { apiId: "api_one", start: "sk_", hash: HASH };
const expected = (holder: string) => `duplicate of ${holder}`;

const problemsOf = async (work: Promise<unknown>): Promise<readonly string[]> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UsageError);
  expect((error as UsageError).message).not.toContain(VALUE);
  expect((error as UsageError).message).not.toContain(HASH);
  return (error as UsageError).problems;
};

describe.each([
  ["its value", byValue, "key"],
  ["its hash", byHash, "hash"],
])("a key that gives %s", (_, given, member) => {
  test.each([
    ["the value", byValue],
    ["the hash", byHash],
  ])("keys.create refuses a key if another one has %s", async (__, first) => {
    const { keys } = await givenEmulator({ fixtures: [{ apis }] });
    const { id } = await keys.create(first);

    expect(await problemsOf(keys.create(given))).toEqual([`key: ${member}: ${expected(id)}`]);
    expect(keys.count()).toBe(1);
  });

  test.each([
    ["the value", byValue],
    ["the hash", byHash],
  ])("seed refuses a key if another one has %s", async (__, first) => {
    const emulator = await givenEmulator({
      fixtures: [{ apis, keys: [{ id: "key_a", ...first }] }],
    });
    const other = { apiId: "api_one", key: "other" };

    expect(await problemsOf(emulator.seed({ keys: [other, given] }))).toEqual([
      `seed: keys[1].${member}: ${expected("key_a")}`,
    ]);
    expect(emulator.keys.count()).toBe(1);
  });

  test.each([
    ["the value", byValue, "key"],
    ["the hash", byHash, "hash"],
  ])("a key of a fixture is refused if an earlier key has %s", async (__, first, firstMember) => {
    const fixtures = [{ apis, keys: [first] }, { keys: [given] }];

    expect(await problemsOf(givenEmulator({ fixtures }))).toEqual([
      `fixtures[1]: keys[0].${member}: ${expected(`fixtures[0]: keys[0].${firstMember}`)}`,
    ]);
  });

  test("a key is refused if a request made another one with the same value", async () => {
    const emulator = await givenEmulator({ fixtures: [{ apis }] });
    const { key, keyId } = (await createKey(emulator, { apiId: "api_one" })).body;
    const same = member === "key" ? { ...byValue, key } : { ...byHash, hash: hashValue(key) };

    expect(await problemsOf(emulator.keys.create(same))).toEqual([
      `key: ${member}: ${expected(keyId)}`,
    ]);
    expect(await problemsOf(emulator.seed({ keys: [same] }))).toEqual([
      `seed: keys[0].${member}: ${expected(keyId)}`,
    ]);
  });

  test("a key may have the value of a deleted key, or of a key of another workspace", async () => {
    const tokens = [{ token: "first" }];
    const other = { workspace: { id: "ws_two" }, tokens: [{ token: "other" }], apis };
    const fixture = { apis, tokens, keys: [byValue], workspaces: [{ ...other, keys: [byHash] }] };
    const emulator = await givenEmulator({ fixtures: [fixture] });

    emulator.keys.clear();
    await emulator.seed({ keys: [given] });

    expect(emulator.keys.findByValue(VALUE)?.apiId).toBe("api_one");
  });

  test("a key is refused beside a snapshot with its value, and a snapshot is restored as it is", async () => {
    const emulator = await givenEmulator({ fixtures: [{ apis, keys: [byValue] }] });
    const snapshot = JSON.parse(JSON.stringify(emulator.snapshot()));
    const doubled = { ...snapshot, keys: [...snapshot.keys, { ...snapshot.keys[0], id: "key_b" }] };

    expect(await problemsOf(givenEmulator({ fixtures: [{ keys: [given] }, snapshot] }))).toEqual([
      `fixtures[0]: keys[0].${member}: ${expected("fixtures[1]: keys[0].hash")}`,
    ]);
    expect((await givenEmulator({ fixtures: [doubled] })).keys.count()).toBe(2);
  });
});

test("keys.update refuses the value of another key", async () => {
  const { keys } = await givenEmulator({ fixtures: [{ apis }] });
  const { id } = await keys.create({ ...byValue, recoverable: true });
  const other = await keys.create({ apiId: "api_one", key: "other", recoverable: true });
  const update = (keyId: string) =>
    keys.update(
      { id: keyId },
      {
        data(key) {
          key.plaintext = VALUE;
          key.name = "changed";
        },
      },
    );

  expect(await problemsOf(update(other.id))).toEqual([`key: plaintext: ${expected(id)}`]);
  expect((await update(id))?.name).toBe("changed");
  expect(keys.findByValue("other")?.name).toBeUndefined();
});

test("keys.createMany adds none of its keys if two have the same value", async () => {
  const { keys } = await givenEmulator({ fixtures: [{ apis }] });

  const problems = await problemsOf(keys.createMany(2, () => byValue));

  expect(problems).toEqual([expect.stringMatching(/^key: key: duplicate of key_/)]);
  expect(keys.count()).toBe(0);
});

test("POST /_latchkey/seed refuses a value that a key has", async () => {
  const fixtures = [{ apis, keys: [{ id: "key_a", ...byValue }] }];
  await using server = await givenServer({ fixtures });

  const response = await fetch(`${server.url}/_latchkey/seed`, {
    method: "POST",
    body: JSON.stringify({ keys: [byHash] }),
  });

  expect(response.status).toBe(400);
  expect(await response.text()).toContain(`keys[0].hash: ${expected("key_a")}`);
});

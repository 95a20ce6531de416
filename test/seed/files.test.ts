import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createEmulator, UsageError } from "../../src/index.ts";
import { readFixtureFile } from "../../src/seed/files.ts";
import { givenEmulator, listKeys } from "../_emulator.ts";
import { givenFolder } from "../cli/_folder.ts";

let folder = "";
beforeAll(async () => {
  folder = await givenFolder();
});
const given = async (name: string, text: string) => {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
};

test.each([
  ["a.json", '{"apis":[{"id":"api_one"}]}'],
  ["mark.json", '\uFEFF{"apis":[{"id":"api_one"}]}'],
  ["a.yaml", "apis:\n  - id: api_one\n"],
  ["long.json", `{"x-text":"${"\\n".repeat(4_000_000)}","apis":[{"id":"api_one"}]}`],
  ["a.YML", "apis: [{ id: api_one }]"],
  ["tags.yaml", "apis: !!seq [!!map { id: !!str api_one }]"],
  ["merge.yaml", "apis:\n  - &base { id: api_two, name: Two }\n  - { <<: *base, id: api_one }\n"],
])("the fixture file %s is read", async (name, text) => {
  const emulator = await givenEmulator({
    fixtures: [await readFixtureFile(await given(name, text))],
  });

  expect((await listKeys(emulator, { apiId: "api_one" })).status).toBe(200);
});

test.each([
  ["broken.json", '{\n  "apis": [}\n', "not well-formed JSON at line 2, column 12"],
  ["cut.json", '{"apis": [', "not well-formed JSON at line 1, column 11"],
  ["comma.json", '{"apis": [],}', "not well-formed JSON"],
  ["broken.yaml", "apis:\n  - id: [\n", "not well-formed YAML at line 3, column 1: "],
  [
    "colon.yaml",
    "apis:\n  - id: a\ntokens\n  - token: b\n",
    "not well-formed YAML at line 3, column 1: multiline implicit key; look for a missing colon",
  ],
  ["twice.yaml", "apis: []\napis: []\n", "not well-formed YAML at line 2, column 1: duplicate key"],
  [
    "double.json",
    '{"keys":[1,{"meta":{"a":":","b c":{},"\\u0061":["\\":"]}}]}',
    "keys[1].meta.a: expected this member once, got it twice",
  ],
  ["double.yaml", "a: { 1: x, '1': y }\n", 'a["1"]: expected this member once, got it twice'],
  ...["!secret X", "!!binary aGk=", "!!set { a }"].map((value): [string, string, string] => [
    "tag.yaml",
    `keys:\n  - meta: { plan: [1, ${value}] }\n`,
    "keys[0].meta.plan[1]: expected a value of JSON, without another tag of YAML",
  ]),
  ["alias.yaml", "apis: *nothing\n", "not well-formed YAML: an alias without its anchor"],
  ["a.toml", "apis = []", "expected a name that ends in .json, .yaml or .yml"],
])("the fixture file %s is refused with a message of one line", async (name, text, problem) => {
  const file = await given(name, text);

  const attempt = readFixtureFile(file);

  await expect(attempt).rejects.toThrow(UsageError);
  await expect(attempt).rejects.toThrow(`${file}: ${problem}`);
  await attempt.catch((error: UsageError) => expect(error.message).not.toContain("\n"));
});

test.each([
  "key: *SECRET",
  "key: |xSECRET",
  "key: >SECRET",
  "key: !x!SECRET 1",
  "%YAML SECRET\n---\n",
  "? { SECRET: 1 }\n: 2",
  "SECRET",
])("messages about the broken YAML %j do not show its content", async (text) => {
  const file = await given("secret.yaml", text);
  const told: unknown[] = [];
  const onWarning = (warning: Error) => told.push(warning.message);
  process.on("warning", onWarning);

  await readFixtureFile(file).catch((error: Error) => told.push(error.message));
  await new Promise((resolve) => setImmediate(resolve));

  process.off("warning", onWarning);
  expect(told.join()).not.toContain("SECRET");
});

test.each(["[]", '[{"apis":[]}]', "null", "5"])("the fixture %s is refused", async (text) => {
  const file = await given("list.json", text);

  await expect(readFixtureFile(file)).rejects.toThrow(`${file}: expected an object, got`);
});

test("a fixture file that is not UTF-8 is refused", async () => {
  const file = join(folder, "latin1.json");
  await writeFile(file, Buffer.from('{"workspace":{"name":"é"}}', "latin1"));

  await expect(readFixtureFile(file)).rejects.toThrow("latin1.json: expected UTF-8 text");
});

test("a fixture file that does not exist is refused", async () => {
  await expect(readFixtureFile(join(folder, "none.json"))).rejects.toThrow(
    "none.json: there is no such file",
  );
  await expect(readFixtureFile(join(folder, "..", "x.json", ".yaml"))).rejects.toThrow(UsageError);
});

test("problems of a fixture file name the file and the path to the value", async () => {
  const file = await given("wrong.yaml", "keys:\n  - { apiId: api_x, remaining: 1.5 }\n");

  const attempt = createEmulator({ fixtures: [await readFixtureFile(file)] });

  await expect(attempt).rejects.toThrow(`${file}: keys[0].remaining: expected an integer, got 1.5`);
});

test.each([
  [
    "cyclic meta",
    "apis: [{ id: api_one }]\nkeys:\n  - apiId: api_one\n    meta: &loop { again: *loop }\n",
    "levels of nesting",
  ],
  ["a cycle in place of a list", "keys: &loop [*loop]\n", "expected an object"],
  [
    "aliases of aliases",
    `a: &a [x,x,x,x,x,x,x,x,x]\n${[..."bcdefgh"].map((letter, index) => `${letter}: &${letter} [${Array.from({ length: 9 }, () => `*${"abcdefgh"[index]}`).join(",")}]\n`).join("")}`,
    "not well-formed YAML: too many aliases of aliases",
  ],
  ["an empty document", "", "odd.yaml: expected an object, got null"],
  [
    "huge numbers",
    "apis: [{ id: api_one }]\nkeys: [{ apiId: api_one, expires: 1e400 }]\n",
    "keys[0].expires: expected a time in unix milliseconds",
  ],
])("a YAML fixture with %s is refused", async (_, text, problem) => {
  const file = await given("odd.yaml", text);

  const attempt = (async () => createEmulator({ fixtures: [await readFixtureFile(file)] }))();

  await expect(attempt).rejects.toThrow(UsageError);
  await expect(attempt).rejects.toThrow(problem);
});

test.each(["fixtures/small.json", "fixtures/demo.yaml"])(
  "%s starts an emulator with keys, also in strict mode",
  async (file) => {
    const emulator = await createEmulator({
      fixtures: [await readFixtureFile(file)],
      strict: true,
    });

    expect(emulator.keys.count()).toBeGreaterThan(2);
  },
);

test("fixtures/demo.yaml has two APIs and twelve keys, which show every member of a record", async () => {
  const emulator = await createEmulator({
    fixtures: [await readFixtureFile("fixtures/demo.yaml")],
  });
  const pages = await Promise.all(
    emulator.apis
      .all()
      .map(({ id }) => listKeys(emulator, { apiId: id, decrypt: true }, { token: "acme_admin" })),
  );

  const keys: object[] = pages.flatMap(({ body }) => body.keys);
  expect(pages).toHaveLength(2);
  expect(keys).toHaveLength(12);
  expect(new Set(keys.flatMap((record) => Object.keys(record))).size).toBe(18);
});

test("generated keys beside fixtures/demo.yaml spread over all its customers and roles", async () => {
  const emulator = await createEmulator({
    fixtures: [await readFixtureFile("fixtures/demo.yaml")],
    generate: 500,
    randomSeed: 1435,
  });

  const keys = emulator.keys.all();
  const customers = emulator.identities.all().map(({ externalId }) => externalId);
  const roles = emulator.roles.all().map(({ name }) => name);
  expect(customers.length).toBeGreaterThanOrEqual(15);
  expect(roles.length).toBeGreaterThanOrEqual(5);
  expect(new Set(keys.map(({ ownerId }) => ownerId))).toEqual(new Set([...customers, undefined]));
  expect(new Set(keys.flatMap((key) => key.roles))).toEqual(new Set(roles));
});

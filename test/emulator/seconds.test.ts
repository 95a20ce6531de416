import { expect, test } from "vitest";
import { likelyMistakes } from "../../src/seed/likely-mistakes.ts";
import { checkFixtures } from "../../src/seed/check.ts";
import { givenLogged } from "../_emulator.ts";

const SECONDS = 1_790_000_000;
const read = `expires: ${SECONDS} is read as milliseconds: 1970-01-21. As seconds, it would be 2026-09-21`;
const apis = [{ id: "api_one" }];
const key = { apiId: "api_one", expires: SECONDS };

test("expires in seconds in a fixture is a warning at the start, at a seed, and of check", async () => {
  const fixture = { apis, keys: [key, { ...key, expires: "in 1d" }, key], tokens: [] };
  const { emulator, warnings } = await givenLogged({ fixtures: [fixture] });
  await emulator.seed({ keys: [key] });

  expect(warnings).toEqual([
    `fixtures[0]: keys[0]: ${read} (and 1 more)`,
    `seed: keys[0]: ${read}`,
  ]);
  expect(likelyMistakes(checkFixtures([fixture]))).toEqual([
    `fixtures[0]: keys[0]: ${read} (and 1 more)`,
  ]);
});

test("expires in seconds in keys.create is a warning, and in a snapshot or in 1970 it is none", async () => {
  const { emulator, warnings } = await givenLogged();
  await emulator.keys.create(key);
  expect(warnings).toEqual([`keys.create: ${read}`]);

  await emulator.restore(JSON.parse(JSON.stringify(emulator.snapshot())));
  const early = await givenLogged({ now: 0, fixtures: [{ apis, keys: [key] }] });
  await early.emulator.keys.create(key);
  expect([warnings.length, early.warnings]).toEqual([1, []]);
});

test("expires in seconds in keys.update is a warning, unless it was so before", async () => {
  const { emulator, warnings } = await givenLogged();
  const { id } = await emulator.keys.create({ apiId: "api_one" });
  const change = (members: object) =>
    emulator.keys.update((q) => q.where({ id }), {
      data: (each) => void Object.assign(each, members),
    });

  await change({ expires: SECONDS });
  await change({ name: "other" });
  await change({ expires: SECONDS + 1 });

  const later = read.replace(String(SECONDS), String(SECONDS + 1));
  expect(warnings).toEqual([`keys.update: ${read}`, `keys.update: ${later}`]);
});

test("check reports permissions of tokens that are close to one of the service", () => {
  const permissions = [
    "api.*.read_keys",
    "api.api_one.creat_key",
    "API.*.read_api",
    "api.read_key",
    "latchkey.controll",
    // These are fine: listed ones, others of the service, own ones, and URNs.
    "*",
    "api.api_one.verify_key",
    "project.*.create_deployment",
    "tests.touch",
    "unkey:v1:ws_local:**#*",
  ];

  const lines = likelyMistakes(checkFixtures([{ tokens: [{ token: "token_1", permissions }] }]));

  expect(lines.map((line) => line.replace(/ is no permission.*did you mean/, " →"))).toEqual([
    'fixtures[0]: tokens[0].permissions[0]: "api.*.read_keys" → "api.*.read_key"?',
    'fixtures[0]: tokens[0].permissions[1]: "api.api_one.creat_key" → "api.*.create_key"?',
    'fixtures[0]: tokens[0].permissions[2]: "API.*.read_api" → "api.*.read_api"?',
    'fixtures[0]: tokens[0].permissions[3]: "api.read_key" → "api.*.read_key"?',
    'fixtures[0]: tokens[0].permissions[4]: "latchkey.controll" → "latchkey.control"?',
  ]);
});

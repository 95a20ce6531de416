import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Fixture } from "../../src/index.ts";
import { loadFixture } from "../../src/node.ts";
import { readAs } from "../../src/schema/problems.ts";
import { fixture } from "../../src/seed/format.ts";
import { smallFixture } from "../../src/seed/small-fixture.ts";
import { givenEmulator } from "../_emulator.ts";
import { anyFixture } from "../_fixtures.ts";

const schema = JSON.parse(await readFile("fixtures/fixture.schema.json", "utf8"));
const isFixture = new Ajv2020({ allErrors: true, strict: false }).compile(schema);

test.each(["demo.yaml", "small.json", "starter.yaml"])(
  "fixtures/%s fits the JSON Schema of fixtures",
  async (name) => {
    const fixture = await loadFixture(`fixtures/${name}`);

    expect(isFixture(fixture), JSON.stringify(isFixture.errors)).toBe(true);
  },
);

test("the fixture of an emulator without fixtures is what its schema reads it as", () => {
  const { problems, unknown, value } = readAs(fixture(), smallFixture);

  expect([...problems, ...unknown]).toEqual([]);
  expect(value).toEqual(smallFixture);
});

test("starter.yaml has no faults until its commented fault is enabled, which is valid", async () => {
  const text = await readFile("fixtures/starter.yaml", "utf8");
  const broken: Fixture = parse(text.replaceAll(/^# (?=faults:| )/gm, ""));
  const emulator = await givenEmulator({ fixtures: [broken] });

  expect(parse(text)).not.toHaveProperty("faults");
  expect(isFixture(broken), JSON.stringify(isFixture.errors)).toBe(true);
  expect(emulator.faults.list()).toMatchObject([
    { operation: "keys.createKey", effect: "drop", when: "after", times: 1 },
  ]);
});

test("valid fixtures and their snapshots fit the JSON Schema", async () => {
  await fc.assert(
    fc.asyncProperty(anyFixture, async (fixture) => {
      const { snapshot } = await givenEmulator({ fixtures: [fixture] }).then((emulator) => ({
        snapshot: JSON.parse(JSON.stringify(emulator.snapshot())),
      }));

      expect(isFixture(JSON.parse(JSON.stringify(fixture))), JSON.stringify(isFixture.errors)).toBe(
        true,
      );
      expect(isFixture(snapshot), JSON.stringify(isFixture.errors)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test.each([
  [{ keyz: [] }, ""],
  [{ keys: [{ name: "x" }] }, "/keys/0"],
  [{ keys: [{ apiId: "api_a", remaining: "5" }] }, "/keys/0/remaining"],
  [{ apis: [{ id: "no spaces" }] }, "/apis/0/id"],
  [{ generate: [{ count: 1.5 }] }, "/generate/0/count"],
  [{ faults: [{ status: 200 }] }, "/faults/0/status"],
  [{ faults: [{ latency: [1] }] }, "/faults/0/latency"],
  [{ faults: [{ latency: -1 }] }, "/faults/0/latency"],
  [{ faults: [{ probability: 0 }] }, "/faults/0/probability"],
  [{ faults: [{ match: [] }] }, "/faults/0/match"],
])("%j does not fit the JSON Schema of fixtures", (fixture, place) => {
  expect(isFixture(fixture)).toBe(false);
  expect(isFixture.errors?.map(({ instancePath }) => instancePath)).toContain(place);
});

test("the JSON Schema gives every member of a key a type and a description", () => {
  const { properties } = schema.$defs.Fixture.properties.keys.items;
  const members = Object.entries<{ $ref?: string }>(properties).map(([name, member]) => {
    const { description, type } = schema.$defs[member.$ref?.split("/").at(-1) ?? ""] ?? member;
    return { name, description, type };
  });

  expect(properties.apiId.description).toBe("The API that the key belongs to.");
  expect(members.length).toBeGreaterThan(20);
  expect(members.filter(({ description, type }) => !description || !type)).toEqual([]);
});

test("valid faults fit the JSON Schema", async () => {
  const fixture: Fixture = {
    faults: [
      { operation: "keys.createKey", match: { meta: { a: [1] } }, times: 2, status: 429 },
      { code: "RATE_LIMITED", probability: 0.5, latency: [0, 10] },
      { effect: "drop", when: "after", latency: 3_600_000 },
    ],
  };

  expect(isFixture(fixture), JSON.stringify(isFixture.errors)).toBe(true);
  expect((await givenEmulator({ fixtures: [fixture] })).faults.list()).toHaveLength(3);
});

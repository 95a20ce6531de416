import { Ajv2020 } from "ajv/dist/2020.js";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import * as z from "zod";
import { toOpenApi } from "../../src/api/openapi/openapi.ts";
import { operationsOf } from "../../src/service/operations/table.ts";
import { defineOperation } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys } from "../_emulator.ts";
import { doing } from "../_own-operations.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- the tests read members of the document at any depth
type Anything = any;
const document: Anything = toOpenApi(
  operationsOf().map(({ contract }) => contract),
  "1.2.3",
  "v1",
);

test("the OpenAPI document is valid OpenAPI 3.1", async () => {
  const validator = new Validator();

  const result = await validator.validate(structuredClone(document));

  expect(result).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

test("the OpenAPI document names every operation, parameter, field, bound and error status", () => {
  const create = document.paths["/v1/keys.createKey"].post;
  const list = document.paths["/v1/apis.listKeys"].get;
  const { schemas } = document.components;

  expect(Object.keys(document.paths)).toEqual(
    operationsOf(["v1"]).map(({ contract }) => contract.path),
  );
  const statuses = "200 400 401 403 404 412 413 415 429 500 default";
  expect(Object.keys(create.responses).join(" ")).toBe(statuses);
  const names: string[] = list.parameters.map(({ name }: { name: string }) => name);
  expect(names.join(" ")).toBe("apiId limit cursor ownerId externalId decrypt revalidateKeysCache");
  const required = list.parameters.filter((each: { required: boolean }) => each.required);
  expect(required).toEqual([list.parameters[0]]);
  const limit = { type: "integer", minimum: 1, maximum: 100, default: 100 };
  expect(list.parameters[1].schema).toEqual(limit);
  expect(list.parameters[3].deprecated).toBe(true);
  expect(Object.keys(schemas.CreateKeyBody.properties)).toHaveLength(16);
  expect(schemas.CreateKeyBody.required).toEqual(["apiId"]);
  expect(schemas.CreateKeyBody.properties.byteLength).toMatchObject({ minimum: 16, maximum: 255 });
  expect(Object.keys(schemas.KeyRecord.properties)).toHaveLength(18);
  expect(schemas.KeyRecord.required).toEqual([
    "id",
    "start",
    "workspaceId",
    "apiId",
    "createdAt",
    "roles",
    "permissions",
    "enabled",
  ]);
  expect(JSON.stringify(document)).not.toContain("$defs");
});

test("the OpenAPI document describes each response header at the responses that have it", () => {
  const { get } = document.paths["/v1/apis.listKeys"];
  const headersOf = (status: string) => Object.keys(get.responses[status].headers);

  for (const status of Object.keys(get.responses)) {
    expect(headersOf(status)).toContain("Unkey-Request-Id");
    expect(headersOf(status).includes("WWW-Authenticate")).toBe(status === "401");
    expect(headersOf(status).includes("Allow")).toBe(status === "default");
  }
  expect(Object.keys(document.components.headers)).toEqual([
    "Unkey-Request-Id",
    "WWW-Authenticate",
    "Allow",
  ]);
});

test("the OpenAPI document shows the description and the new tag of a user's operation", async () => {
  const run = doing(() => 1);
  const contract = { ...run.contract, description: "Runs *all* tests." };
  const emulator = await givenEmulator({ operations: [defineOperation({ ...run, contract })] });

  const own = JSON.parse(JSON.stringify(await emulator.openapi("v1")));

  expect(own.paths["/v1/tests.run"].post.description).toBe("Runs *all* tests.");
  expect(own.tags.at(-1)).toEqual({
    name: "tests",
    description: "Operations of the group `tests`.",
  });
});

test("recursive schemas of several operations stay separate components in the OpenAPI document", async () => {
  const folder = z.object({
    name: z.string(),
    get folders() {
      return z.array(folder).optional();
    },
  });
  const chain = z.object({
    size: z.int(),
    get next() {
      return chain.optional();
    },
  });
  const withInput = (name: string, input: z.ZodObject) =>
    defineOperation({
      ...doing(() => 1, name),
      contract: { ...doing(() => 1, name).contract, input },
    });
  const emulator = await givenEmulator({
    operations: [
      withInput("tests.root", folder),
      withInput("tests.folder", z.object({ of: folder })),
      withInput("tests.chain", z.object({ of: chain }).describe("see #/$defs/chain")),
      withInput("tests.strict", z.strictObject({ a: z.int() })),
    ],
  });

  // oxlint-disable-next-line typescript/no-explicit-any
  const document = (await emulator.openapi("v1")) as any;

  const bodyOf = (name: string) =>
    document.paths[`/v1/${name}`].post.requestBody.content["application/json"].schema;
  const at = (schema: { $ref: string }) =>
    document.components.schemas[schema.$ref.replace("#/components/schemas/", "")];
  expect(Object.keys(at(bodyOf("tests.root")).properties)).toEqual(["name", "folders"]);
  expect(at(at(bodyOf("tests.root")).properties.folders.items)).toBe(at(bodyOf("tests.root")));
  expect(Object.keys(at(bodyOf("tests.folder").properties.of).properties)).toContain("folders");
  expect(Object.keys(at(bodyOf("tests.chain").properties.of).properties)).toEqual(["size", "next"]);
  expect(bodyOf("tests.chain").description).toBe("see #/$defs/chain");
  expect(bodyOf("tests.strict").additionalProperties).toBe(false);
});

test("the quirk extra-fields adds its fields to the OpenAPI document", async () => {
  const emulator = await givenEmulator({ quirks: ["extra-fields"] });
  const refills = [
    { interval: "daily", amount: 5 },
    { interval: "monthly", amount: 5 },
  ];
  const ratelimit = { limit: 1, duration: 1_000 };
  for (const refill of refills) {
    const body = { apiId: "api_one", remaining: 1, refill, ratelimit, environment: "live" };
    await createKey(emulator, body);
  }
  const { body } = await listKeys(emulator, { apiId: "api_one" });
  const { components, paths } = JSON.parse(JSON.stringify(await emulator.openapi("v1")));
  const { schema } = paths["/v1/apis.listKeys"].get.responses[200].content["application/json"];

  const fits = new Ajv2020({ strict: false }).compile({ ...schema, components });

  expect(fits(body), JSON.stringify(fits.errors)).toBe(true);
  expect(Object.keys(components.schemas.KeyRecord.properties)).toContain("environment");
});

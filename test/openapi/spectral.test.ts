import { afterAll, beforeAll, expect, test } from "vitest";
import { toOpenApi } from "../../src/api/openapi.ts";
import { toControlDocument } from "../../src/control/openapi.ts";
import { createEmulator } from "../../src/index.ts";
import { operationsOf } from "../../src/service/operations/table.ts";
import { deleteIdentity, doing, getIdentity } from "../_own-operations.ts";
import { givenConsumer, PATIENCE, type Consumer } from "../package/_consumer.ts";

/** Not among our own dependencies, because it installs more than a hundred packages. */
const tools = {
  "@stoplight/spectral-core": "1.24.1",
  "@stoplight/spectral-rulesets": "1.23.1",
};

let consumer: Consumer;
beforeAll(async () => {
  consumer = await givenConsumer(tools);
  await consumer.write(
    "lint.js",
    `import spectral from "@stoplight/spectral-core";
     import rulesets from "@stoplight/spectral-rulesets";
     import { readFileSync } from "node:fs";
     const linter = new spectral.Spectral();
     linter.setRuleset({ extends: [rulesets.oas] });
     for (const { code, message, path } of await linter.run(readFileSync("document.json", "utf8"))) {
       console.log([code, path.join("."), message].join(" | "));
     }`,
  );
}, PATIENCE);
afterAll(() => consumer?.remove(), PATIENCE);

/** The reports of Spectral's recommended rules for OpenAPI. */
async function reportsOn(document: object): Promise<string[]> {
  await consumer.write("document.json", JSON.stringify(document));
  const { code, stdout, stderr } = await consumer.node(["lint.js"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.split("\n").filter((line) => line !== "");
}

const contracts = operationsOf().map(({ contract }) => contract);

test.each(["v1", "v2"] as const)(
  "the OpenAPI document of %s passes Spectral's recommended rules",
  async (version) => {
    expect(await reportsOn(toOpenApi(contracts, "1.2.3", version))).toEqual([]);
  },
  PATIENCE,
);

test(
  "the document of the control routes passes Spectral's recommended rules",
  async () => {
    expect(await reportsOn(toControlDocument())).toEqual([]);
  },
  PATIENCE,
);

test(
  "a document with a user's own operations passes Spectral's recommended rules",
  async () => {
    const operations = [deleteIdentity, getIdentity, doing(() => ({}))];
    const emulator = await createEmulator({ operations });

    expect(await reportsOn(await emulator.openapi("v1"))).toEqual([]);
  },
  PATIENCE,
);

test(
  "Spectral reports an undeclared tag",
  async () => {
    const reports = await reportsOn({ ...toOpenApi(contracts, "1.2.3", "v1"), tags: [] });

    expect(reports).toHaveLength(operationsOf(["v1"]).length);
    expect(reports[0]).toMatch(
      /^operation-tag-defined \| paths\.\/v1\/keys\.createKey\.post\.tags/,
    );
  },
  PATIENCE,
);

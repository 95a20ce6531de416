import { afterAll, beforeAll, expect, test } from "vitest";
import { toOpenApi } from "../../../src/api/openapi/openapi.ts";
import { toControlDocument } from "../../../src/control/openapi.ts";
import { createEmulator } from "../../../src/index.ts";
import { operationsOf } from "../../../src/service/operations/table.ts";
import { deleteIdentity, doing, getIdentity } from "../../_own-operations.ts";
import { givenConsumer, PATIENCE, type Consumer } from "../../package/_consumer.ts";

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
     const reports = [];
     for (const document of JSON.parse(readFileSync("documents.json", "utf8"))) {
       const found = await linter.run(JSON.stringify(document));
       reports.push(found.map(({ code, message, path }) => [code, path.join("."), message].join(" | ")));
     }
     console.log(JSON.stringify(reports));`,
  );
}, PATIENCE);
afterAll(() => consumer?.remove(), PATIENCE);

const contracts = operationsOf().map(({ contract }) => contract);

test(
  "every OpenAPI document passes Spectral's recommended rules, which report an undeclared tag",
  async () => {
    const operations = [deleteIdentity, getIdentity, doing(() => ({}))];
    const documents = [
      toOpenApi(contracts, "1.2.3", "v1"),
      toOpenApi(contracts, "1.2.3", "v2"),
      toControlDocument(),
      await (await createEmulator({ operations })).openapi("v1"),
      { ...toOpenApi(contracts, "1.2.3", "v1"), tags: [] },
    ];
    await consumer.write("documents.json", JSON.stringify(documents));

    const { code, stdout, stderr } = await consumer.node(["lint.js"]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const reports = JSON.parse(stdout) as string[][];
    const untagged = reports.pop();
    expect(reports).toEqual([[], [], [], []]);
    expect(untagged).toHaveLength(operationsOf(["v1"]).length);
    expect(untagged?.[0]).toMatch(
      /^operation-tag-defined \| paths\.\/v1\/keys\.createKey\.post\.tags/,
    );
  },
  PATIENCE,
);

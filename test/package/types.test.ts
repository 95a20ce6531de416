import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundler, compiler, complaints, core, nodenext, withDom, withoutDom } from "./_compile.ts";
import { givenConsumer, PATIENCE, type Consumer } from "./_consumer.ts";

let consumer: Consumer;
beforeAll(async () => {
  consumer = await givenConsumer(compiler);
  await consumer.write("core.ts", core);
}, PATIENCE);
afterAll(() => consumer?.remove(), PATIENCE);

describe.each([
  ["Node's modules", nodenext],
  ["a bundler's modules", bundler],
])("with %s and without msw and vitest", (_, modules) => {
  test(
    "the compiler finds every type",
    async () => {
      expect(await complaints(consumer, ["core.ts"], [...modules, ...withDom])).toEqual([]);
    },
    PATIENCE,
  );

  test(
    "the types of latchkey need no DOM",
    async () => {
      // rettime, which the collections emit events with, uses the DOM's MessageEvent.
      const others = ["latchkey/dist/types/packages/rettime"];
      const flags = [...modules, ...withoutDom];

      expect(await complaints(consumer, ["core.ts"], flags, others)).toEqual([]);
    },
    PATIENCE,
  );
});

test(
  "a user's operation can be defined with another minor version of zod",
  async () => {
    const other = await givenConsumer({ ...compiler, zod: "4.1.13" });
    try {
      await other.write("core.ts", core);
      await other.write(
        "run.js",
        `import { createEmulator, defineOperation } from "latchkey";
         import * as z from "zod";
         const add = defineOperation({
           contract: {
             name: "sums.add",
             method: "POST",
             path: "/v1/sums.add",
             input: z.object({ terms: z.array(z.number()).meta({ description: "To be added." }) }),
             output: z.number(),
           },
           run: ({ input }) => input.terms.reduce((sum, term) => sum + term, 0),
         });
         const emulator = await createEmulator({ operations: [add] });
         const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
         for (const terms of [[1, 2], ["1"]]) {
           const body = JSON.stringify({ terms });
           const url = "http://localhost/v1/sums.add";
           const response = await emulator.fetch(url, { method: "POST", headers, body });
           const answer = await response.json();
           console.log(answer.error?.message ?? answer);
         }
         const { paths } = await emulator.openapi("v1");
         const { schema } = paths["/v1/sums.add"].post.requestBody.content["application/json"];
         console.log(JSON.stringify(schema.properties.terms));`,
      );

      expect(await complaints(other, ["core.ts"], [...nodenext, ...withDom])).toEqual([]);
      expect(await other.node(["run.js"])).toMatchObject({
        stdout: `3
terms.0: expected a number, got "1"
{"type":"array","items":{"type":"number"},"description":"To be added."}
`,
      });
    } finally {
      await other.remove();
    }
  },
  PATIENCE,
);

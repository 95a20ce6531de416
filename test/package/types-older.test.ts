import { expect, onTestFinished, test } from "vitest";
import { bundler, compiler, complaints, core, withoutDom } from "./_compile.ts";
import { givenConsumer, PATIENCE } from "./_consumer.ts";

test(
  "with an older zod and without types of the DOM, a user's operation compiles and runs",
  async () => {
    const other = await givenConsumer({ ...compiler, zod: "4.1.13" });
    onTestFinished(() => other.remove());
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

    const flags = [...bundler, ...withoutDom];
    // rettime, which the collections emit events with, uses the DOM's MessageEvent.
    const others = ["latchkey/dist/types/packages/rettime"];
    const by = "typescript-5";
    expect(await complaints(other, ["core.ts"], flags, { by, others })).toEqual([]);
    expect(await other.node(["run.js"])).toMatchObject({
      stdout: `3
terms.0: expected a number, got "1"
{"type":"array","items":{"type":"number"},"description":"To be added."}
`,
    });
  },
  PATIENCE,
);

test.each([
  ["nodenext", ["--module", "nodenext"]],
  ["node10", ["--module", "commonjs", "--moduleResolution", "node10", "--esModuleInterop"]],
])(
  "with the library of ES2020 and the module resolution %s, the compiler finds the entries",
  async (_name, flags) => {
    const consumer = await givenConsumer(compiler);
    onTestFinished(() => consumer.remove());
    await consumer.write(
      "old.ts",
      `import { createEmulator, UsageError, type Emulator } from "latchkey";
       import { connect } from "latchkey/client";
       import { createGateway } from "latchkey/gateway";
       import { serve, type RunningServer } from "latchkey/node";
       import { sweep } from "latchkey/sweep";
       export async function main(): Promise<RunningServer> {
         const emulator: Emulator = await createEmulator();
         // @ts-expect-error a misspelt option
         await createEmulator({ nwo: 1 });
         await sweep(({ url }) => void connect(url));
         createGateway(emulator, { upstream: () => new Response() });
         console.log(new UsageError("one", { cause: 1 }).problems);
         return serve(emulator);
       }`,
    );

    const old = [...flags, "--target", "es2020", "--lib", "es2020,dom"];
    expect(await complaints(consumer, ["old.ts"], old, { by: "typescript-5" })).toEqual([]);
  },
  PATIENCE,
);

import { afterAll, beforeAll, expect, test } from "vitest";
import { bundler, compiler, complaints, core, nodenext, withDom, withoutDom } from "./_compile.ts";
import { givenConsumer, PATIENCE, type Consumer } from "./_consumer.ts";

/** Has a member of each public type, for an editor to look at. */
const looked = `
  import { createEmulator } from "latchkey";
  import type { AccessTokenInit, Api, ApiInit, Fault, FaultInit, Fixture, Identity } from "latchkey";
  import type { IdentityInit, Key, KeyInit, Permission, PermissionInit, Role, RoleInit } from "latchkey";
  import type { EmulatorOptions, GenerateRequest, MigrationInit, RatelimitNamespaceInit, RecordedRequest } from "latchkey";
  import type { RequestFilter, TokenGrant } from "latchkey";
  import type { ProcessOptions } from "latchkey/node";

  const emulator = await createEmulator();
  emulator.faults.add({ operation: "" });
  emulator.requests.list({ operation: "" });
  export const fixture: Fixture = { faults: [{ operation: "" }] };

  export interface Types {
    accessToken: AccessTokenInit; api: Api; apiInit: ApiInit; fault: Fault; faultInit: FaultInit;
    fixture: Fixture; identity: Identity; identityInit: IdentityInit; key: Key; keyInit: KeyInit;
    permission: Permission; permissionInit: PermissionInit; role: Role; roleInit: RoleInit;
    emulatorOptions: EmulatorOptions; generate: GenerateRequest; migration: MigrationInit;
    namespace: RatelimitNamespaceInit; request: RecordedRequest; filter: RequestFilter;
    token: TokenGrant; process: ProcessOptions;
  }
`;

/**
 * Asks the language service, as an editor does. It prints whether each operation in the program is
 * completed, how many members have a text, and which have none.
 */
const ask = `
  import { readFileSync } from "node:fs";
  import ts from "typescript-5";

  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, strict: true };
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCompilationSettings: () => options,
    getScriptFileNames: () => ["looked.ts"],
    getScriptVersion: () => "1",
    getScriptSnapshot: (file) =>
      ts.sys.fileExists(file) ? ts.ScriptSnapshot.fromString(ts.sys.readFile(file)) : undefined,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  const text = readFileSync("looked.ts", "utf8");
  const completed = [...text.matchAll(/operation: "/g)].map(({ 0: found, index }) => {
    const place = index + found.length;
    const entries = service.getCompletionsAtPosition("looked.ts", place, {})?.entries ?? [];
    return entries.map(({ name }) => name).includes("keys.createKey");
  });

  const source = service.getProgram().getSourceFile("looked.ts");
  const checker = service.getProgram().getTypeChecker();
  const types = source.statements.find(ts.isInterfaceDeclaration);
  const silent = [];
  const seen = new Set();
  let heard = 0;
  for (const member of types.members) walk(checker.getTypeAtLocation(member.type), member.name.text);

  function walk(type, path) {
    if (seen.has(type) || type.isUnion()) return type.types?.forEach((each) => walk(each, path));
    seen.add(type);
    if (checker.isArrayType(type) || checker.isTupleType(type)) {
      return checker.getTypeArguments(type).forEach((item) => walk(item, path + "[]"));
    }
    for (const property of type.getProperties()) {
      const [declaration] = property.declarations ?? [];
      const file = declaration?.getSourceFile().fileName ?? "";
      if (!file.includes("latchkey/dist/types/") || file.includes("/packages/")) continue;
      if (!ts.isPropertySignature(declaration) && !ts.isPropertyDeclaration(declaration)) continue;
      // A schema of a user's operation has internal members too.
      if (ts.isPrivateIdentifier(declaration.name) || property.name === "_zod") continue;
      const place = path + "." + property.name;
      const said = ts.displayPartsToString(property.getDocumentationComment(checker));
      if (said === "") silent.push(place);
      else heard += 1;
      walk(checker.getTypeOfSymbol(property), place);
    }
  }
  console.log(JSON.stringify({ completed, heard, silent }));
`;

let consumer: Consumer;
beforeAll(async () => {
  consumer = await givenConsumer(compiler);
  await consumer.write("core.ts", core);
  await consumer.write("looked.ts", looked);
  await consumer.write("ask.js", ask);
}, PATIENCE);
afterAll(() => consumer?.remove(), PATIENCE);

// Each compilation takes half a minute. The next test has the other modules, library and compiler.
test(
  "without msw and vitest, the compiler finds every type",
  async () => {
    const by = "typescript";

    expect(await complaints(consumer, ["core.ts"], [...nodenext, ...withDom], { by })).toEqual([]);
  },
  PATIENCE,
);

test(
  "with an older zod and without types of the DOM, a user's operation compiles and runs",
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
    } finally {
      await other.remove();
    }
  },
  PATIENCE,
);

test.each([
  ["nodenext", ["--module", "nodenext"]],
  ["node10", ["--module", "commonjs", "--moduleResolution", "node10", "--esModuleInterop"]],
])(
  "with the library of ES2020 and the module resolution %s, the compiler finds the entries",
  async (_name, flags) => {
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

test(
  "an editor shows a text for every member, and completes names of operations",
  async () => {
    const { stdout, stderr } = await consumer.node(["ask.js"]);

    expect(stderr).toBe("");
    const { completed, heard, silent } = JSON.parse(stdout);
    expect(completed).toEqual([true, true, true]);
    expect(silent).toEqual([]);
    expect(heard).toBeGreaterThan(200);
  },
  PATIENCE,
);

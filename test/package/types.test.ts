import { afterAll, beforeAll, expect, test } from "vitest";
import { compiler, complaints, core, nodenext, withDom } from "./_compile.ts";
import { givenConsumer, PATIENCE, type Consumer } from "./_consumer.ts";

/** Has a member of each public type, for an editor to look at. */
const looked = `
  import { createEmulator } from "latchkey";
  import type { AccessTokenInit, Api, ApiInit, Fault, FaultInit, Fixture, Identity } from "latchkey";
  import type { IdentityInit, Key, KeyInit, Permission, PermissionInit, Role, RoleInit } from "latchkey";
  import type { EmulatorOptions, GenerateRequest, MigrationInit, RatelimitNamespaceInit, RecordedRequest } from "latchkey";
  import type { RequestFilter, TokenGrant } from "latchkey";
  import type { Policy, Principal } from "latchkey/gateway";
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
    token: TokenGrant; process: ProcessOptions; policy: Policy; principal: Principal;
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

// types-older.test.ts has other modules, libraries and compilers.
test(
  "without msw and vitest, the compiler finds every type",
  async () => {
    const by = "typescript";

    expect(await complaints(consumer, ["core.ts"], [...nodenext, ...withDom], { by })).toEqual([]);
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

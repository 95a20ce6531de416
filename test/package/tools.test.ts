import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundler, compiler, complaints, core, nodenext, withDom, withoutDom } from "./_compile.ts";
import { givenConsumer, installed, PATIENCE, type Consumer } from "./_consumer.ts";

const list = `
  const list = async (url, token) => {
    const headers = { Authorization: "Bearer " + token };
    const response = await fetch(url + "/v1/apis.listKeys?apiId=api_local", { headers });
    return (await response.json()).total;
  };
`;

const typed = `
  import { createEmulator } from "latchkey";
  import { createHandlers } from "latchkey/msw";
  import { test, type LatchkeyFixtures } from "latchkey/vitest";
  import { createGlobalSetup } from "latchkey/vitest/global-setup";
  import { setupServer } from "msw/node";
  import { expect, inject } from "vitest";

  const emulator = await createEmulator();
  setupServer(...createHandlers(emulator, { baseUrl: ["https://api.example.com"] })).listen();
  // @ts-expect-error without a base URL
  createHandlers(emulator, {});

  test.scoped({ emulatorOptions: { fixtures: [{ apis: [{ id: "api_mine" }] }] } });
  // @ts-expect-error a misspelt member
  test.scoped({ emulatorOptions: { fixtues: [] } });
  test("the test fixtures have types", ({ emulator, url }) => {
    const place: LatchkeyFixtures["url"] = url;
    // @ts-expect-error a text
    url satisfies number;
    expect(emulator.keys.findFirst((q) => q.where({ name: place }))?.id).toBe("key_1");
    const [shared, token]: [string, string] = [inject("latchkeyUrl"), inject("latchkeyToken")];
    expect(shared).toBe(token);
    // @ts-expect-error a misspelt name
    inject("latchkeyURL");
  });
  export const setup = createGlobalSetup({ fixtures: ["fixture.yaml"] });
`;

const [major = 0] = process.versions.node.split(".").map(Number);

// Compilations take long: each kind of modules and each library of types has its turn with one version.
describe.each([
  {
    vitest: await installed("vitest"),
    msw: await installed("msw"),
    flags: [...nodenext, ...withDom],
    others: [],
  },
  {
    vitest: "~3.2.4",
    msw: "~3.0.5",
    flags: [...bundler, ...withoutDom],
    others: [
      // The types of this vitest contradict those of the chai that it depends on.
      "vitest",
      "@types/chai",
      // These need types of the DOM.
      "latchkey/dist/types/packages/rettime",
      "rettime",
      "msw",
      "@mswjs",
    ],
  },
])("with vitest $vitest and msw $msw", ({ flags, others, ...versions }) => {
  let consumer: Consumer;
  beforeAll(async () => {
    consumer = await givenConsumer({ ...compiler, ...versions });
  }, PATIENCE);
  afterAll(() => consumer?.remove(), PATIENCE);

  test(
    "a test that fails prints the calls of its emulator",
    async () => {
      await consumer.write("vitest.config.js", "export default {};");
      await consumer.write(
        "failing.test.js",
        `import { expect } from "vitest";
         import { test } from "latchkey/vitest";
         const call = (url, body) => fetch(url + "/v2/keys.verifyKey", {
           method: "POST",
           headers: { Authorization: "Bearer root_of_the_test", "Content-Type": "application/json" },
           body: JSON.stringify(body),
         });
         test("fails", async ({ url }) => {
           await call(url, { key: "value_that_no_key_has" });
           await call(url, {});
           expect(1).toBe(2);
         });
         test("passes", async ({ url }) => {
           await call(url, { key: "value_of_another_test" });
         });
         `,
      );

      const { code, stderr, stdout } = await consumer.node([
        join("node_modules", "vitest", "vitest.mjs"),
        "run",
        "failing.test.js",
      ]);

      const output = stripVTControlCharacters(stdout + stderr);
      expect(code).toBe(1);
      expect(output).toContain(
        [
          "latchkey saw 2 calls:",
          "  v2 keys.verifyKey  200 NOT_FOUND: no key of this workspace has this value",
          "  v2 keys.verifyKey  400 unkey/application/invalid_input: key: expected a string of",
        ].join("\n"),
      );
      expect(output.match(/latchkey saw/g)).toHaveLength(1);
    },
    PATIENCE,
  );

  test(
    "each test gets its own emulator, and the global set-up's one stops after the run",
    async () => {
      const token = crypto.randomUUID();
      await consumer.write("latchkey.config.json", JSON.stringify({ tokens: [token] }));
      await consumer.write(
        "vitest.config.js",
        `export default { test: { globalSetup: "latchkey/vitest/global-setup" } };`,
      );
      await consumer.write(
        "one.test.js",
        `import { writeFileSync } from "node:fs";
         import { describe, expect, inject } from "vitest";
         import { test } from "latchkey/vitest";
         ${list}
         test("a test has an emulator of its own", async ({ emulator, url }) => {
           await emulator.keys.create({ apiId: "api_local" });
           expect(await list(url, "any")).toBe(4);
         });
         describe("emulatorOptions", () => {
           test.scoped({ emulatorOptions: { fixtures: [{ apis: [{ id: "api_local" }] }] } });
           test("emulatorOptions configure the emulator of a test", async ({ url }) => {
             expect(await list(url, "any")).toBe(0);
           });
         });
         test("the emulator of the global set-up serves all tests", async () => {
           const url = inject("latchkeyUrl");
           expect(await list(url, inject("latchkeyToken"))).toBe(3);
           writeFileSync("seen.json", JSON.stringify({ url, token: inject("latchkeyToken") }));
         });`,
      );

      const { code, stdout, stderr } = await consumer.node([
        join("node_modules", "vitest", "vitest.mjs"),
        "run",
        "one.test.js",
      ]);

      expect(stdout + stderr).toMatch(/Tests .*3 passed/);
      expect(code).toBe(0);
      const seen = JSON.parse(await readFile(join(consumer.folder, "seen.json"), "utf8"));
      expect(seen.token).toBe(token);
      // Another server may use the port by now, but it does not accept this token.
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await fetch(`${seen.url}/v1/apis.listKeys?apiId=api_local`, { headers }).then(
        ({ ok }) => ok,
        () => false,
      );
      expect(answer).toBe(false);
    },
    PATIENCE,
  );

  // msw 3 requires Node.js 22.12.
  test.skipIf(versions.msw.startsWith("~3.") && major < 22)(
    "createHandlers lets msw answer for the emulator",
    async () => {
      await consumer.write(
        "msw.js",
        `import { createEmulator } from "latchkey";
         import { createHandlers } from "latchkey/msw";
         import { setupServer } from "msw/node";
         ${list}
         const baseUrl = "https://api.example.com";
         const emulator = await createEmulator();
         const server = setupServer(...createHandlers(emulator, { baseUrl }));
         server.listen();
         await emulator.keys.create({ apiId: "api_local" });
         console.log(await list(baseUrl, "any"));
         server.close();`,
      );

      expect(await consumer.node(["msw.js"])).toEqual({ code: 0, stdout: "4\n", stderr: "" });
    },
    PATIENCE,
  );

  test(
    `the compiler finds every type with ${flags.join(" ")}`,
    async () => {
      await consumer.write("core.ts", core);
      await consumer.write("typed.ts", typed);

      const files = ["core.ts", "typed.ts"];
      expect(await complaints(consumer, files, flags, { by: "typescript", others })).toEqual([]);
      // This version takes five times as long, so it does not check declarations. types.test.ts does.
      const few = [...flags, "--skipLibCheck", "true"];
      expect(await complaints(consumer, files, few, { by: "typescript-5" })).toEqual([]);
    },
    PATIENCE,
  );
});

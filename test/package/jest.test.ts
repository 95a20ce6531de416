import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { givenConsumer, installed, PATIENCE, type Consumer } from "./_consumer.ts";

let consumer: Consumer;
beforeAll(async () => {
  const msw = await installed("msw");
  consumer = await givenConsumer({
    jest: "^30.0.0",
    "jest-fixed-jsdom": "^0.0.11",
    "@swc/core": "^1.0.0",
    "@swc/jest": "^0.2.0",
    msw,
  });
  await consumer.write("package.json", await recipe());
}, PATIENCE);
afterAll(() => consumer?.remove(), PATIENCE);

/** The package.json that docs/in-process.md recommends to users of Jest. */
async function recipe(): Promise<string> {
  const page = await readFile("docs/in-process.md", "utf8");
  return /^```json\n(.*?jest.*?)^```$/ms.exec(page)?.[1] ?? "";
}

const tests = `
  import { createEmulator } from "latchkey";
  import { createHandlers } from "latchkey/msw";
  import { serve } from "latchkey/node";
  import { setupServer } from "msw/node";

  const list = async (fetch, url) => {
    const headers = { Authorization: "Bearer any" };
    const response = await fetch(url + "/v1/apis.listKeys?apiId=api_local", { headers });
    return (await response.json()).total;
  };

  test("an emulator answers in the process of the test", async () => {
    const { fetch } = await createEmulator();
    expect(await list(fetch, "https://api.example.com")).toBe(3);
  });

  test("an emulator loads its rarely used modules when they are needed", async () => {
    const emulator = await createEmulator({ generate: { count: 5 }, randomSeed: 1 });
    expect(await list(emulator.fetch, "https://api.example.com")).toBe(8);
    expect((await emulator.openapi()).openapi).toBe("3.1.0");
    const { status } = await emulator.fetch("https://api.example.com/_latchkey/ready");
    expect(status).toBe(200);
  });

  test("a call that hangs ends when its client gives up", async () => {
    const emulator = await createEmulator();
    emulator.faults.add({ effect: "hang" });
    const url = "https://api.example.com/v1/apis.listKeys?apiId=api_local";
    const init = { headers: { Authorization: "Bearer any" }, signal: AbortSignal.timeout(50) };
    await expect(emulator.fetch(url, init)).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test("an emulator answers over HTTP", async () => {
    const server = await serve(await createEmulator());
    expect(await list(fetch, server.url)).toBe(3);
    await server.close();
  });

  test("an emulator answers through msw", async () => {
    const baseUrl = "https://api.example.com";
    const server = setupServer(...createHandlers(await createEmulator(), { baseUrl }));
    server.listen();
    expect(await list(fetch, baseUrl)).toBe(3);
    server.close();
  });
`;

test(
  "Jest runs CommonJS tests without a flag, with a process that a global set-up starts",
  async () => {
    const page = await readFile("docs/in-process.md", "utf8");
    const [, setup = ""] = /^```js\n(\/\/ latchkey-setup\.js.*?)^```$/ms.exec(page) ?? [];
    const folder = "commonjs";
    await consumer.write(`${folder}/package.json`, "{}");
    await consumer.write(`${folder}/latchkey-setup.js`, setup);
    await consumer.write(`${folder}/teardown.js`, "module.exports = () => stopLatchkey();");
    await consumer.write(
      `${folder}/jest.config.js`,
      `module.exports = {
        globalSetup: "./latchkey-setup.js",
        globalTeardown: "./teardown.js",
        // The other test of this file runs every *.test.js.
        testMatch: ["**/*.check.js"],
      };`,
    );
    const [, token = ""] = /rootKey: (.*?), serverURL/.exec(setup) ?? [];
    for (const file of ["one", "two"]) {
      await consumer.write(
        `${folder}/${file}.check.js`,
        `const token = ${token};
        const call = async (operation) => {
          const response = await fetch(process.env.LATCHKEY_URL + "/v2/" + operation, {
            method: "POST",
            headers: { Authorization: "Bearer " + token, "Content-Type": "application/json" },
            body: JSON.stringify({ apiId: "api_local" }),
          });
          return (await response.json()).data;
        };
        test("a file has a world of its own", async () => {
          expect(await call("apis.listKeys")).toHaveLength(3);
          await call("keys.createKey");
          expect(await call("apis.listKeys")).toHaveLength(4);
        });`,
      );
    }

    const { code, stderr } = await consumer.node([
      "node_modules/jest/bin/jest.js",
      "--runInBand",
      `--rootDir=${folder}`,
      `--config=${folder}/jest.config.js`,
    ]);

    expect(stderr).toMatch(/Tests: +2 passed, 2 total/);
    expect(code).toBe(0);
  },
  PATIENCE,
);

test(
  "Jest in CommonJS has an emulator in process if it transforms latchkey, as docs/in-process.md says",
  async () => {
    const page = await readFile("docs/in-process.md", "utf8");
    const [, config = ""] = /^```js\n(\/\/ jest\.config\.js.*?)^```$/ms.exec(page) ?? [];
    const folder = "transformed";
    await consumer.write(`${folder}/package.json`, "{}");
    await consumer.write(
      `${folder}/jest.config.js`,
      `${config} module.exports.testMatch = ["**/*.check.js"];`,
    );
    await consumer.write(
      `${folder}/in-process.check.js`,
      `const { createEmulator } = require("latchkey");
      test("an emulator answers in process", async () => {
        const emulator = await createEmulator({ generate: 5 });
        const { status } = await emulator.fetch("https://api.example.com/_latchkey/ready");
        expect([status, emulator.keys.count()]).toEqual([200, 8]);
      });`,
    );

    const { code, stderr } = await consumer.node([
      "node_modules/jest/bin/jest.js",
      `--rootDir=${folder}`,
      `--config=${folder}/jest.config.js`,
    ]);

    expect([code, stderr]).toEqual([0, expect.stringMatching(/Tests: +1 passed, 1 total/)]);
  },
  PATIENCE,
);

test(
  "Jest without a transform prints what docs/troubleshooting.md says",
  async () => {
    const page = await readFile("docs/troubleshooting.md", "utf8");
    const lines = page.split("\n").filter((line) => line.startsWith("- **Jest: "));
    const messages = lines.flatMap((line) =>
      Array.from(line.matchAll(/`([A-Z][^`]+)`/g), ([, message = ""]) => message.split("…/")),
    );
    const folder = "untransformed";
    await consumer.write(`${folder}/package.json`, "{}");
    await consumer.write(
      `${folder}/jest.config.js`,
      'module.exports = { testMatch: ["**/*.check.js"], transform: {} };',
    );
    await consumer.write(
      `${folder}/required.check.js`,
      'require("latchkey"); test("none", () => {});',
    );
    await consumer.write(`${folder}/imported.check.js`, 'test("one", () => import("latchkey"));');

    const { code, stderr } = await consumer.node([
      "node_modules/jest/bin/jest.js",
      `--rootDir=${folder}`,
      `--config=${folder}/jest.config.js`,
    ]);

    expect(messages).toHaveLength(3);
    for (const part of messages.flat()) expect(stderr).toContain(part);
    expect(code).toBe(1);
  },
  PATIENCE,
);

/** In two parts, because vitest would take the whole comment for its own. */
const environment = `@${"jest"}-environment jest-fixed-jsdom`;

test(
  "Jest runs tests with every entry, in its node environment and beside a document",
  async () => {
    await consumer.write("node.test.js", tests);
    await consumer.write(
      "document.test.js",
      `/** ${environment} */
       ${tests}
       test("the environment has a document", () => {
         expect(document.body.textContent).toBe("");
       });`,
    );

    const { code, stderr } = await consumer.npm("test");

    expect(stderr).toMatch(/Tests: +11 passed, 11 total/);
    expect(code).toBe(0);
  },
  PATIENCE,
);

test(
  "latchkey exec --as redirects the workers of Jest, beside other NODE_OPTIONS",
  async () => {
    const file = `
      test("the host is compiled in", async () => {
        const { status } = await fetch("https://api.unkey.com/v2/liveness");
        expect(status).toBe(200);
      });`;
    await consumer.write("redirected-one.test.js", file);
    await consumer.write("redirected-two.test.js", file);

    const jest = [
      process.execPath,
      "node_modules/jest/bin/jest.js",
      "redirected",
      "--maxWorkers=2",
    ];
    const { code, stderr } = await consumer.node(
      [
        "node_modules/latchkey/bin/latchkey.js",
        "exec",
        "--as",
        "https://api.unkey.com",
        "--",
        ...jest,
      ],
      { NODE_OPTIONS: "--experimental-vm-modules" },
    );

    expect(stderr).toMatch(/Tests: +2 passed, 2 total/);
    expect(stderr).toContain("latchkey: 2 calls came: ");
    expect(code).toBe(0);
  },
  PATIENCE,
);

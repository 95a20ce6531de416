import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { givenConsumer, PATIENCE, type Consumer } from "./_consumer.ts";

let consumer: Consumer;
beforeAll(async () => {
  consumer = await givenConsumer();
}, PATIENCE);
afterAll(() => consumer?.remove(), PATIENCE);

/** Creates a key through emulator.fetch and over HTTP, and prints how many keys each then lists. */
const program = `
  const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
  const body = JSON.stringify({ apiId: "api_local" });
  const count = async (fetch, url) => {
    await fetch(url + "/v1/keys.createKey", { method: "POST", headers, body });
    const response = await fetch(url + "/v1/apis.listKeys?apiId=api_local", { headers });
    return (await response.json()).total;
  };
  const main = async () => {
    const emulator = await createEmulator();
    const first = await count(emulator.fetch, "https://api.example.com");
    const server = await serve(emulator);
    const second = await count(fetch, server.url);
    await server.close();
    console.log(first, second, new UsageError("odd") instanceof Error);
  };
`;

test(
  "the package can be imported by an ES module",
  async () => {
    await consumer.write(
      "import.js",
      `import { createEmulator, UsageError } from "latchkey";
       import { serve } from "latchkey/node";
       ${program}
       await main();`,
    );

    expect(await consumer.node(["import.js"])).toEqual({
      code: 0,
      stdout: "4 5 true\n",
      stderr: "",
    });
  },
  PATIENCE,
);

test(
  "the package can be required by a CommonJS file",
  async () => {
    await consumer.write(
      "require.cjs",
      `const { createEmulator, UsageError } = require("latchkey");
       const { serve } = require("latchkey/node");
       ${program}
       main();`,
    );

    // Early versions of Node.js with require(esm) print a warning to stderr.
    expect(await consumer.node(["require.cjs"])).toMatchObject({ code: 0, stdout: "4 5 true\n" });
  },
  PATIENCE,
);

test(
  "the package installs the command latchkey",
  async () => {
    const bin = join("node_modules", ".bin", "latchkey");
    const { version } = JSON.parse(await readFile("package.json", "utf8"));

    expect(await consumer.node([bin, "--version"])).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
    });
  },
  PATIENCE,
);

test(
  "the package installs faker and zod, and no other dependency",
  async () => {
    const modules = await readdir(join(consumer.folder, "node_modules"));
    const ofFaker = await readdir(join(consumer.folder, "node_modules", "@faker-js"));

    expect(modules.filter((name) => !name.startsWith("."))).toEqual([
      "@faker-js",
      "latchkey",
      "zod",
    ]);
    expect(ofFaker).toEqual(["faker"]);
  },
  PATIENCE,
);

test(
  "latchkey/msw fails with an error that names msw if msw is not installed",
  async () => {
    await consumer.write("msw.js", `import "latchkey/msw";`);
    const { code, stderr } = await consumer.node(["msw.js"]);

    expect(code).toBe(1);
    expect(stderr).toContain("Cannot find package 'msw'");
  },
  PATIENCE,
);

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { givenConsumer, PATIENCE, type Consumer } from "./_consumer.ts";

let consumer: Consumer;
beforeAll(async () => {
  consumer = await givenConsumer();
}, PATIENCE);
afterAll(() => consumer?.remove(), PATIENCE);

/** Creates a key through each door that needs nothing else, and prints what their lists count. */
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
  "it is imported",
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
  "it is required by what is no module",
  async () => {
    await consumer.write(
      "require.cjs",
      `const { createEmulator, UsageError } = require("latchkey");
       const { serve } = require("latchkey/node");
       ${program}
       main();`,
    );

    // Early versions of Node.js that can do it warn of it.
    expect(await consumer.node(["require.cjs"])).toMatchObject({ code: 0, stdout: "4 5 true\n" });
  },
  PATIENCE,
);

test(
  "its command starts",
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
  "it brings faker, and zod for its types, and nothing else",
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
  "the entry for msw names msw, where there is none",
  async () => {
    await consumer.write("msw.js", `import "latchkey/msw";`);
    const { code, stderr } = await consumer.node(["msw.js"]);

    expect(code).toBe(1);
    expect(stderr).toContain("Cannot find package 'msw'");
  },
  PATIENCE,
);

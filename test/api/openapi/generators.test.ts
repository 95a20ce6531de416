import { afterAll, beforeAll, expect, test } from "vitest";
import { givenEmulator } from "../../_emulator.ts";
import { givenConsumer, installed, PATIENCE, type Consumer } from "../../package/_consumer.ts";

/**
 * Installed beside the packed package, not as our own dependencies: openapi-typescript needs an
 * older TypeScript than ours. The other popular generators need a newer Node.js than the oldest
 * supported one.
 */
const tools = {
  typescript: "5.9.3",
  "openapi-typescript": "7.13.0",
  "openapi-fetch": "0.17.0",
  oazapfts: "7.5.0",
  "@oazapfts/runtime": "1.2.0",
};

let consumer: Consumer;
beforeAll(async () => {
  consumer = await givenConsumer({ ...tools, "@types/node": await installed("@types/node") });
  const emulator = await givenEmulator();
  await consumer.write("api.json", JSON.stringify(await emulator.openapi("v1")));
  const control = await outputOf("node_modules/latchkey/bin/latchkey.js", "openapi", "--control");
  await consumer.write("control.json", control);
}, PATIENCE);
afterAll(() => consumer?.remove(), PATIENCE);

/** Runs a script, expects exit code 0, and resolves to its stdout. */
async function outputOf(script: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await consumer.node([script, ...args]);
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

const withOpenapiFetch = `
  import createClient from "openapi-fetch";
  import { startProcess } from "latchkey/node";
  import type { components, paths } from "./schema.js";

  const { url, stop } = await startProcess();
  const headers = { Authorization: "Bearer any" };
  const client = createClient<paths>({ baseUrl: url, headers });

  const body = { apiId: "api_local", name: "CI" };
  const created = await client.POST("/v1/keys.createKey", { body });
  const keyId: string | undefined = created.data?.keyId;
  console.log(created.response.status, keyId?.startsWith("key_"));

  const query = { apiId: "api_local", limit: 2, decrypt: true, revalidateKeysCache: false };
  const listed = await client.GET("/v1/apis.listKeys", { params: { query } });
  const keys: components["schemas"]["KeyRecord"][] = listed.data?.keys ?? [];
  const cursor: string | undefined = listed.data?.cursor;
  console.log(keys.length, typeof cursor, listed.data?.total);

  const unknown = { params: { query: { apiId: "api_none" } } };
  const { error, response } = await client.GET("/v1/apis.listKeys", unknown);
  const refusal: components["schemas"]["ErrorResponse"] | undefined = error;
  console.log(response.status, refusal?.error.code === "NOT_FOUND");
  console.log(refusal?.error.requestId === response.headers.get("Unkey-Request-Id"));

  // @ts-expect-error apiId is required
  await client.POST("/v1/keys.createKey", { body: { name: "CI" } });
  // @ts-expect-error a code that does not exist
  console.log(error?.error.code === "NOT_FOUNT");
  await stop();
`;

const withOazapfts = `
  import { HttpError, ok } from "@oazapfts/runtime";
  import { startProcess } from "latchkey/node";
  import * as api from "./api.js";
  import * as control from "./control.js";

  const { url, stop } = await startProcess();
  api.defaults.baseUrl = url;
  api.defaults.headers = { Authorization: "Bearer any" };
  control.defaults.baseUrl = url;

  const body: api.CreateKeyBody = { apiId: "api_local", name: "CI" };
  const created: api.CreateKeyResult = await ok(api.keysCreateKey(body));
  console.log(created.keyId.startsWith("key_"));

  const query = { limit: 2, decrypt: true, revalidateKeysCache: false };
  const listed: api.ListKeysResult = await ok(api.apisListKeys("api_local", query));
  const keys: api.KeyRecord[] = listed.keys;
  console.log(keys.length, typeof listed.cursor, listed.total);

  const refused = await api.apisListKeys("api_none");
  if (refused.status === 404) {
    const refusal: api.ErrorResponse = refused.data;
    console.log(refusal.error.code === "NOT_FOUND");
  }
  const wrong = api.keysCreateKey({ apiId: "api_local", byteLength: 1 });
  const thrown = await ok(wrong).catch((error) => error);
  console.log(thrown instanceof HttpError, thrown.status, thrown.data.error.code);

  await ok(control.postFaults({ status: 503, times: 1 }));
  console.log((await api.apisListKeys("api_local")).status);
  await ok(control.postReset({ freshIds: true }));
  const again = await ok(api.keysCreateKey(body));
  const { total } = await ok(api.apisListKeys("api_local"));
  console.log(again.keyId !== created.keyId, total);

  // @ts-expect-error a number is expected
  await api.apisListKeys("api_local", { limit: "2" });
  await stop();
`;

test(
  "openapi-typescript with openapi-fetch and oazapfts generate clients that compile and run",
  async () => {
    const [typescript, oazapfts] = ["openapi-typescript/bin/cli.js", "oazapfts/dist/cli.js"];
    await outputOf(`node_modules/${typescript}`, "api.json", "-o", "schema.d.ts");
    for (const name of ["api", "control"])
      await outputOf(`node_modules/${oazapfts}`, `${name}.json`, `${name}.ts`);
    await consumer.write("with-openapi-fetch.ts", withOpenapiFetch);
    await consumer.write("with-oazapfts.ts", withOazapfts);
    // With everything that the programs import, including declarations of packages.
    const flags =
      "--strict --skipLibCheck false --types node --pretty false --module nodenext --target es2023 --lib es2023,dom,dom.iterable --outDir out";
    const programs = ["with-openapi-fetch", "with-oazapfts"];
    const files = programs.map((name) => `${name}.ts`);
    await outputOf("node_modules/typescript/bin/tsc", ...flags.split(" "), ...files);

    const printed = [];
    for (const name of programs) printed.push(await outputOf(`out/${name}.js`));

    expect(printed[0]?.split("\n")).toEqual([
      "200 true",
      "2 string 4",
      "404 true",
      "true",
      "false",
      "",
    ]);
    expect(printed[1]?.split("\n")).toEqual([
      "true",
      "2 string 4",
      "true",
      "true 400 BAD_REQUEST",
      "503",
      "true 4",
      "",
    ]);
  },
  PATIENCE,
);

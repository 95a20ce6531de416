import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { startCli } from "./_cli.ts";

const page = await readFile("docs/containers.md", "utf8");
const [, command = ""] = /^CMD (\[.*\])$/m.exec(page) ?? [];
const [program, ...args] = JSON.parse(command) as string[];
/** The arguments of docs/containers.md, with a free port. */
const said = args.map((arg) => (arg === "4010" ? "0" : arg)).with(args.indexOf("--port"), "-p");
const without = (flag: string) => said.filter((arg, at) => arg !== flag && said[at - 1] !== flag);

/** Sends a request with any Host header, which `fetch` cannot. */
function ask(
  port: number,
  path: string,
  host: string,
  { address = "127.0.0.1", token = "any" } = {},
): Promise<number> {
  const method = path.endsWith("/reset") ? "POST" : "GET";
  const headers = { Host: `${host}:4010`, Authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    request({ host: address, port, path, method, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    })
      .once("error", reject)
      .end();
  });
}

const LIST = "/v1/apis.listKeys?apiId=api_local";
const RESET = "/_latchkey/reset";
const READY = "/_latchkey/ready";

test("the image of docs/containers.md runs latchkey on all interfaces as the host latchkey", () => {
  expect(program).toBe("latchkey");
  expect(said).toEqual(["--host", "0.0.0.0", "-p", "0", "--allow-host", "latchkey"]);
});

test("other containers may call operations and control routes under the allowed host name", async () => {
  await using cli = await startCli(said);
  const { port } = cli.ready;

  for (const host of ["latchkey", "localhost", "127.0.0.1"]) {
    expect(await ask(port, LIST, host)).toBe(200);
    expect(await ask(port, RESET, host)).toBe(204);
  }
  expect(await ask(port, LIST, "other")).toBe(200);
  expect(await ask(port, READY, "other")).toBe(200);
  expect(await ask(port, RESET, "other")).toBe(403);
  expect((await cli.stop()).code).toBe(0);
});

test("without --allow-host, control routes are refused under the name of the container", async () => {
  await using cli = await startCli(without("--allow-host"));

  expect(await ask(cli.ready.port, LIST, "latchkey")).toBe(200);
  expect(await ask(cli.ready.port, READY, "latchkey")).toBe(200);
  expect(await ask(cli.ready.port, RESET, "latchkey")).toBe(403);
});

const outside = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === "IPv4" && !each.internal)?.address;

test.skipIf(outside === undefined)(
  "latchkey listens beyond loopback only with --host 0.0.0.0",
  async () => {
    await using open = await startCli(said);
    await using closed = await startCli(without("--host"));

    const address = outside ?? "";
    expect(await ask(open.ready.port, LIST, "latchkey", { address })).toBe(200);
    await expect(ask(closed.ready.port, LIST, "latchkey", { address })).rejects.toThrow(
      "ECONNREFUSED",
    );
  },
);

test.skipIf(outside === undefined)(
  "control routes need the control token when the client has another address",
  async () => {
    const token = "of_the_container";
    await using given = await startCli(said, { env: { LATCHKEY_CONTROL_TOKEN: token } });
    await using none = await startCli(said);
    const address = outside ?? "";

    expect(await ask(given.ready.port, RESET, "latchkey", { address, token })).toBe(204);
    expect(await ask(given.ready.port, RESET, "latchkey", { address })).toBe(401);
    expect(await ask(none.ready.port, RESET, "latchkey", { address })).toBe(403);
    expect(await ask(none.ready.port, READY, "latchkey", { address })).toBe(200);
  },
);

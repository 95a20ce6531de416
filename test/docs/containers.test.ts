import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { startCli } from "../_cli.ts";

const page = await readFile("docs/containers.md", "utf8");
const [, variables = ""] = /^ENV (.*)$/m.exec(page) ?? [];
/** The variables of docs/containers.md. */
const said: Record<string, string> = Object.fromEntries(
  variables.split(" ").map((each) => each.split("=")),
);
const start = (env: Record<string, string>) => startCli([], { env });
const without = (name: string) => start({ ...said, [name]: "" });

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
  expect(page).toContain('ENTRYPOINT ["latchkey"]');
  expect(said).toEqual({ LATCHKEY_HOST: "0.0.0.0", LATCHKEY_ALLOW_HOST: "latchkey" });
});

test("other containers may call operations and control routes under the allowed host name", async () => {
  await using cli = await start(said);
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
  await using cli = await without("LATCHKEY_ALLOW_HOST");

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
    await using open = await start(said);
    await using closed = await without("LATCHKEY_HOST");

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
    await using given = await start({ ...said, LATCHKEY_CONTROL_TOKEN: token });
    await using none = await start(said);
    const address = outside ?? "";

    expect(await ask(given.ready.port, RESET, "latchkey", { address, token })).toBe(204);
    expect(await ask(given.ready.port, RESET, "latchkey", { address })).toBe(401);
    expect(await ask(none.ready.port, RESET, "latchkey", { address })).toBe(403);
    expect(await ask(none.ready.port, READY, "latchkey", { address })).toBe(200);
  },
);

test("options behind the name of the image override its variables", async () => {
  await using cli = await startCli(["--host", "127.0.0.1", "--no-control"], { env: said });

  expect(await ask(cli.ready.port, LIST, "latchkey")).toBe(200);
  expect(await ask(cli.ready.port, RESET, "latchkey")).toBe(404);
});

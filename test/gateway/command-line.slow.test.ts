import { expect, test } from "vitest";
import { startProcess } from "../../src/node.ts";
import { runCli, startBanner, startCli } from "../_cli.ts";
import { exec, inModule } from "../cli/_exec.ts";
import { givenFolder } from "../cli/_folder.ts";
import { ofService, route } from "./_files.ts";
import { orders } from "./_gateway.ts";
import { givenProgram } from "./_program.ts";

test("latchkey warns of an unlisted root key, an unknown keyspace and a keyauth without keyspaces", async () => {
  const text = route(
    '{ id = "none", enabled = true, keyauth = {} }, { id = "some", enabled = true, keyauth = { key_space_ids = ["ks_orders", "ks_order"] } }',
  );
  const folder = await givenFolder({ "gateway.toml": text, "orders.json": JSON.stringify(orders) });
  const start = "latchkey: warning: gateway.toml:";
  const warningsWith = async (...flags: string[]) => {
    const own = ["--gateway", "gateway.toml", "--fixture", "orders.json", ...flags];
    const { stderr } = await runCli(["exec", ...own, "--", "node", "-e", ""], { cwd: folder });
    return stderr.split("\n").filter((line) => line.startsWith(start));
  };
  const ofKeyspaces = [
    `${start} policy none has no key_space_ids, so it allows no key`,
    `${start} policy some: no API has the keyspace ks_order`,
  ];

  expect(await warningsWith("--token", "other")).toEqual([
    `${start} root_key is not a listed token, so no key can be verified`,
    ...ofKeyspaces,
  ]);
  expect(await warningsWith("--token", "root")).toEqual(ofKeyspaces);
});

test("a mistake in a file or its name ends latchkey with exit code 2", async () => {
  const folder = await givenFolder({ "gateway.toml": ofService });
  const start = async (given: string) => {
    const { code, stderr, stdout } = await runCli(["--port", "0", "--gateway", given], {
      cwd: folder,
    });
    expect([code, stdout]).toEqual([2, ""]);
    return stderr;
  };

  expect(await start("gateway.toml")).toBe(
    "latchkey: gateway.toml: line 5: expected the variable UNKEY_ROOT_KEY to be set\n" +
      "latchkey: gateway.toml: line 14: expected the variable UNKEY_KEYSPACE_ID to be set\n",
  );
  expect(await start("missing.toml")).toBe("latchkey: missing.toml: there is no such file\n");
  expect(await start("localhost")).toBe(
    "latchkey: --gateway: expected a URL like http://localhost:3000, or the name of a file that ends in .toml, .json, .yaml or .yml\n",
  );
});

test("the ready line, the banner, exec and startProcess give the URL of the gateway", async () => {
  const upstream = `http://${await givenProgram()}`;
  const flags = ["--gateway", upstream];
  const statusOf = async (url: string | undefined, key: string) =>
    (await fetch(`${url}/`, { headers: { Authorization: `Bearer ${key}` } })).status;

  await using cli = await startCli([...flags, "--gateway-port", "0"]);
  expect(await statusOf(cli.ready.gateway, "unknown")).toBe(401);

  await using banner = await startBanner([...flags, "--gateway-port", "0", "--port", "0"]);
  expect(banner.output.stdout).toMatch(/^ {2}gateway {2}http:\/\/localhost:\d+$/m);

  await using started = await startProcess({ gateway: upstream });
  expect(started.programEnv["LATCHKEY_GATEWAY_URL"]).toBe(started.gateway);
  await started.seed({ keys: [{ apiId: "api_local", key: "ord_good" }] });
  expect(await statusOf(started.gateway, "ord_good")).toBe(201);
  expect((await started.requests.list()).map(({ operation }) => operation)).toContain(
    "keys.verifyKey",
  );

  const print = ["node", "-p", "process.env.LATCHKEY_GATEWAY_URL"];
  expect((await runCli(["exec", ...flags, "--", ...print])).stdout).toMatch(
    /^http:\/\/localhost:\d+\n$/,
  );
});

test("the last line of exec counts the calls that came to the gateway", async () => {
  const upstream = `http://${await givenProgram()}`;
  const ask = (key: string) =>
    `await fetch(process.env.LATCHKEY_GATEWAY_URL, { headers: { Authorization: "Bearer ${key}" } })`;
  const options = ["--gateway", upstream, "--fixture", "examples/gateway/orders.yaml"];
  const code = inModule(`${ask("ord_of_acme")}; ${ask("unknown")}`);

  expect((await exec(code, ...options)).stderr).toBe("latchkey: 2 calls came: 1 × 201, 1 × 401\n");
  expect((await exec("", ...options)).stderr).toContain(
    "no call came: the program does not call LATCHKEY_GATEWAY_URL, or",
  );
});

test("--gateway-port is refused without --gateway, and if the port is taken", async () => {
  const alone = await runCli(["--port", "0", "--gateway-port", "8099"]);
  expect([alone.code, alone.stderr]).toEqual([2, "latchkey: --gateway-port needs --gateway\n"]);

  const upstream = await givenProgram();
  const taken = upstream.split(":").at(-1) ?? "";
  const flags = ["--port", "0", "--gateway", `http://${upstream}`, "--gateway-port", taken];
  const { code, stderr } = await runCli(flags);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`port ${taken}`)]);
});

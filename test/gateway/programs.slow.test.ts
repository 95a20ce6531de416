import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
// @ts-expect-error -- scripts have no types
import { install } from "../../scripts/on-demand.js";
import { startProcess } from "../../src/node.ts";
import { givenFolder } from "../cli/_folder.ts";

const PROGRAMS = "test/gateway/_programs";

/** Commands that start a program, which prints its port. */
const programs: Record<string, () => readonly [string, ...string[]]> = {
  Express: () => ["node", `${PROGRAMS}/orders-express.cjs`, resolve(install("express"))],
  Flask: () => ["python3", `${PROGRAMS}/orders_flask.py`],
};

async function startProgram([program, ...args]: readonly [string, ...string[]]): Promise<string> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const [port] = await once(child.stdout, "data");
  return `127.0.0.1:${String(port).trim()}`;
}

const fileFor = (upstream: string) => `
[local-dev]
root_key = "gateway_of_orders"
[[local-dev.routes]]
hostname = "localhost"
upstream = "${upstream}"
[[local-dev.routes.policies]]
id = "keys"
enabled = true
keyauth = { key_space_ids = ["ks_orders"], permission_query = "orders.read" }
`;

test.for(Object.keys(programs))(
  "a program with %s is protected from an expired key, a limit and a missing permission",
  { timeout: 180_000 },
  async (name, { skip }) => {
    const hasFlask = spawnSync("python3", ["-c", "import flask"]).status === 0;
    skip(name === "Flask" && !hasFlask, "this machine has no Flask for python3");
    const upstream = await startProgram(programs[name]?.() ?? [""]);
    const folder = await givenFolder({ "gateway.toml": fileFor(upstream) });
    await using latchkey = await startProcess({
      fixtures: ["examples/gateway/orders.yaml"],
      gateway: join(folder, "gateway.toml"),
      now: "2026-03-01",
    });
    const ask = async (key: string) => {
      const headers = { Authorization: `Bearer ${key}`, Accept: "application/json" };
      const response = await fetch(`${latchkey.gateway}/orders`, { headers });
      const { error, ...body } = (await response.json()) as { error?: { code: string } };
      return [response.status, error?.code ?? body];
    };
    const client = "err:frontline:client";

    expect(await ask("ord_of_acme")).toEqual([200, { customer: "acme", plan: "pro" }]);
    expect(await ask("ord_without_right")).toEqual([403, `${client}:insufficient_permissions`]);
    for (const status of [200, 200, 429]) expect((await ask("ord_limited"))[0]).toBe(status);
    await latchkey.clock.advance("31d");
    expect(await ask("ord_limited")).toEqual([
      200,
      { customer: expect.stringMatching(/^key_/), plan: "free" },
    ]);
    expect(await ask("ord_of_acme")).toEqual([401, `${client}:invalid_key`]);
  },
);

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { validate } from "dockerfile-utils";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { cleanEnv, startCli } from "./_cli.ts";
import { givenFolder } from "./cli/_folder.ts";

const textOf = (path: string) => readFile(path, "utf8");

/** The words of the Dockerfile's entry point, without the program. */
async function entryPoint(): Promise<string[]> {
  const [, words = "[]"] = /^ENTRYPOINT (\[.*\])$/m.exec(await textOf("Dockerfile")) ?? [];
  const [program, ...args] = JSON.parse(words) as string[];
  expect(program).toBe("latchkey");
  return args;
}

/** The command of a service in a compose file, with the paths of this machine and a free port. */
async function commandOf(file: string, paths: Record<string, string>): Promise<string[]> {
  const { services } = parse(await textOf(file));
  const args = [...(await entryPoint()), ...services.latchkey.command] as string[];
  const here = args.map((arg) => paths[arg] ?? arg);
  return here.map((arg) => (arg === "4010" ? "0" : arg)).with(here.indexOf("--port"), "-p");
}

async function post(url: string, operation: string, token: string, input: object) {
  const response = await fetch(`${url}/v2/${operation}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(input),
  });
  // oxlint-disable-next-line typescript/no-explicit-any
  return (await response.json()) as any;
}

test("a linter finds no problem in the Dockerfile", async () => {
  expect(validate(await textOf("Dockerfile"))).toEqual([]);
  expect(validate("FROM node\nENTRYPOINT latchkey]\nHEALTHCHEK NONE")).not.toEqual([]);
});

test("compose.yaml starts a demo that keeps its state, and its image answers as healthy", async () => {
  const folder = await givenFolder({});
  const paths = {
    "/fixtures/demo.yaml": resolve("fixtures/demo.yaml"),
    "/data/state.json": join(folder, "state.json"),
  };
  const command = await commandOf("compose.yaml", paths);
  const [, path = ""] = /http:\/\/127\.0\.0\.1:4010(\/\S+)"/.exec(await textOf("Dockerfile")) ?? [];

  const first = await startCli(command);
  const healthy = await fetch(`http://127.0.0.1:${first.ready.port}${path}`);
  const { data } = await post(first.ready.url, "keys.createKey", "acme_admin", {
    apiId: "api_payments",
    name: "made by a visitor",
  });
  await first.stop();
  await using second = await startCli(command);
  const kept = await post(second.ready.url, "keys.getKey", "acme_admin", { keyId: data.keyId });

  expect(healthy.status).toBe(200);
  expect(kept.data.name).toBe("made by a visitor");
});

test("the gateway's example answers a verification as the gateway expects it", async () => {
  const folder = "examples/gateway";
  const config = await textOf(`${folder}/gateway.toml`);
  const { services } = parse(await textOf(`${folder}/compose.yaml`));
  const [, keyspace = ""] = /key_space_ids = \["(.*?)"\]/.exec(config) ?? [];
  const [, permissions = ""] = /permission_query = "(.*?)"/.exec(config) ?? [];
  const rootKey: string = services.gateway.environment.UNKEY_ROOT_KEY;
  const fixture = resolve(`${folder}/orders.yaml`);
  await using cli = await startCli(
    await commandOf(`${folder}/compose.yaml`, { "/fixtures/orders.yaml": fixture }),
  );
  const verify = async (key: string) =>
    (
      await post(cli.ready.url, "keys.verifyKey", rootKey, {
        key,
        keyspaces: [keyspace],
        credits: { cost: 1 },
        permissions,
      })
    ).data;

  expect(await verify("ord_of_acme")).toMatchObject({
    valid: true,
    code: "VALID",
    keyspaceId: keyspace,
    identity: { externalId: "acme" },
  });
  expect((await verify("ord_without_right")).code).toBe("INSUFFICIENT_PERMISSIONS");
  expect((await verify("ord_used_up")).code).toBe("USAGE_EXCEEDED");
  expect((await verify("unknown")).code).toBe("NOT_FOUND");
});

describe("the action for GitHub", () => {
  /** Runs the script of the action as a runner does; resolves to what it wrote for later steps. */
  async function runAction(args: string) {
    const { runs } = parse(await textOf("action.yml"));
    const folder = await givenFolder({ env: "", output: "" });
    const env = {
      ...cleanEnv(),
      COMMAND: `${process.execPath} ${resolve("bin/latchkey.js")}`,
      ARGUMENTS: args,
      RUNNER_TEMP: folder,
      GITHUB_ENV: join(folder, "env"),
      GITHUB_OUTPUT: join(folder, "output"),
    };
    const script = join(folder, "action.sh");
    const { code, stdout } = await promisify(execFile)(
      "bash",
      ["-e", "-c", runs.steps[0].run, script],
      { env, cwd: folder },
    ).then(
      (printed) => ({ code: 0, ...printed }),
      (error) => error as { code: number; stdout: string },
    );
    const variables = Object.fromEntries(
      (await textOf(join(folder, "env"))).split("\n").flatMap((line) => {
        const at = line.indexOf("=");
        return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
      }),
    );
    const ready = await textOf(join(folder, "latchkey.json"));
    if (ready !== "") onTestFinished(() => void process.kill(JSON.parse(ready).pid));
    return { code, stdout, variables, output: await textOf(join(folder, "output")) };
  }

  test("starts latchkey, and tells the next steps its URL and token", async () => {
    const fixture = resolve("fixtures/demo.yaml");
    const { code, output, stdout, variables } = await runAction(`--fixture ${fixture}`);

    expect(code).toBe(0);
    expect(output).toBe(`url=${variables["LATCHKEY_URL"]}\n`);
    expect(Object.keys(variables)).toEqual(["LATCHKEY_URL", "LATCHKEY_TOKEN"]);
    expect(stdout).toBe("");
    const { data } = await post(
      variables["LATCHKEY_URL"] ?? "",
      "apis.getApi",
      variables["LATCHKEY_TOKEN"] ?? "",
      { apiId: "api_payments" },
    );
    expect(data.name).toBe("Payments");
  });

  test("masks a control token that latchkey made", async () => {
    const { stdout, variables } = await runAction(
      `--fixture ${resolve("examples/gateway/orders.yaml")}`,
    );

    const control = variables["LATCHKEY_CONTROL_TOKEN"];
    expect(control).toMatch(/\S{8}/);
    expect(stdout).toBe(`::add-mask::${control}\n`);
  });

  test("fails with the reason if latchkey does not start", async () => {
    const { code, stdout } = await runAction("--fixture missing.yaml");

    expect(code).toBe(1);
    expect(stdout).toMatch(/^::error::latchkey did not start: .*missing\.yaml/);
  });
});

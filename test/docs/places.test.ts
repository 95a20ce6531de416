import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { validate } from "dockerfile-utils";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { cleanEnv, startCli } from "../_cli.ts";
import { givenFolder } from "../cli/_folder.ts";

const textOf = (path: string) => readFile(path, "utf8");

/** Starts the service of a compose file, with the variables of the Dockerfile and paths of this machine. */
async function startService(file: string, paths: Record<string, string>) {
  const dockerfile = await textOf("Dockerfile");
  const [, variables = ""] = /^ENV (.*)$/m.exec(dockerfile) ?? [];
  expect(dockerfile).toContain('ENTRYPOINT ["latchkey"]');
  const { services } = parse(await textOf(file));
  const args: string[] = services.latchkey.command;
  const env = Object.fromEntries(variables.split(" ").map((each) => each.split("=")));
  return startCli(
    args.map((arg) => paths[arg] ?? arg),
    { env },
  );
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
  const dockerfile = await textOf("Dockerfile");
  const [, path = ""] = /:\$\{LATCHKEY_PORT:-4010\}(\/\S+)"/.exec(dockerfile) ?? [];

  const first = await startService("compose.yaml", paths);
  const healthy = await fetch(`http://127.0.0.1:${first.ready.port}${path}`);
  const { data } = await post(first.ready.url, "keys.createKey", "acme_admin", {
    apiId: "api_payments",
    name: "made by a visitor",
  });
  await first.stop();
  await using second = await startService("compose.yaml", paths);
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
  await using cli = await startService(`${folder}/compose.yaml`, {
    "/fixtures/orders.yaml": fixture,
  });
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
  async function runAction(
    args: string,
    command = `${process.execPath} ${resolve("bin/latchkey.js")}`,
  ) {
    const { runs } = parse(await textOf("action.yml"));
    const folder = await givenFolder({ env: "", output: "" });
    const env = {
      ...cleanEnv(),
      COMMAND: command,
      NO_PROXY: "intern.example",
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
    const ready = await textOf(join(folder, "latchkey.json")).catch(() => "");
    const [line] = /^\{"url".*$/m.exec(ready) ?? [];
    if (line !== undefined) onTestFinished(() => void process.kill(JSON.parse(line).pid));
    return { code, stdout, variables, output: await textOf(join(folder, "output")) };
  }

  test("starts latchkey, and gives the next steps its URL and token", async () => {
    const fixture = resolve("fixtures/demo.yaml");
    const { code, output, stdout, variables } = await runAction(`--fixture ${fixture}`);

    expect(code).toBe(0);
    expect(output).toBe(`url=${variables["LATCHKEY_URL"]}\n`);
    const { LATCHKEY_TOKEN: _, LATCHKEY_URL: __, ...others } = variables;
    const NO_PROXY = "intern.example,localhost,127.0.0.1,::1";
    expect(others).toEqual({ NO_PROXY, no_proxy: NO_PROXY });
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

  test.each([
    ["an apostrophe", "it's.yaml", '"'],
    ["a double quote", 'so "called".yaml', "'"],
  ])("takes a path with %s in the other quotes", async (_mark, file, quote) => {
    const folder = await givenFolder({ [file]: "apis: [{ id: api_quoted }]" });

    expect(await runAction(`--fixture ${quote}${folder}/${file}${quote}`)).toMatchObject({
      code: 0,
      stdout: "",
    });
  });

  test("takes quoted paths, and a command that prints its own lines", async () => {
    const folder = await givenFolder({
      "my data/a.yaml": "apis: [{ id: api_quoted }]",
      "my data/start.sh": `echo "> start"; exec ${process.execPath} ${resolve("bin/latchkey.js")} "$@"`,
    });

    const { code, stdout, variables } = await runAction(
      `--fixture "${folder}/my data/a.yaml"`,
      `sh '${folder}/my data/start.sh'`,
    );
    const wrong = await runAction('--fixture "a.yaml');

    expect([stdout, code]).toEqual(["", 0]);
    const url = variables["LATCHKEY_URL"] ?? "";
    const { data } = await post(url, "apis.getApi", "any", { apiId: "api_quoted" });
    expect(data.id).toBe("api_quoted");
    expect([wrong.code, wrong.stdout]).toEqual([
      1,
      "::error::arguments: expected a second quote for each quote\n",
    ]);
  });

  test("fails with the reason if latchkey does not start", async () => {
    const { code, stdout } = await runAction("--fixture missing.yaml");

    expect(code).toBe(1);
    expect(stdout).toMatch(/^::error::latchkey did not start: .*missing\.yaml/);
  });
});

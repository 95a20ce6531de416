import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Fixture } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, type Door } from "../_emulator.ts";
import { runCli, startBanner, startCli } from "../_cli.ts";
import { givenFolder } from "./_folder.ts";

const door: Door = { fetch: (request) => fetch(request) };

async function readState(file: string): Promise<Fixture> {
  return JSON.parse(await readFile(file, "utf8")) as Fixture;
}

function isSaved(file: string): Promise<boolean> {
  return readState(file).then(
    () => true,
    () => false,
  );
}

async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}

const nameOf = (key: { readonly name?: string | undefined }) => key.name;

describe("--state", () => {
  test("--state saves the state while serving and on exit, and starts from it again", async () => {
    const state = join(await givenFolder(), "state.json");
    const demo = ["--fixture", "fixtures/demo.yaml", "--state", state];
    const options = { origin: "", token: "acme_admin" };
    const names = async (cli: { readonly ready: { readonly url: string } }) => {
      const answer = await listKeys(
        door,
        { apiId: "api_internal" },
        { ...options, origin: cli.ready.url },
      );
      return answer.body.keys.map(nameOf);
    };
    await using first = await startCli(demo);
    const origin = first.ready.url;
    await createKey(door, { apiId: "api_internal", name: "mine" }, { ...options, origin });

    const isThere = ({ keys = [] }: Fixture) => keys.some(({ name }) => name === "mine");
    await until(() => readState(state).then(isThere, () => false));
    await createKey(door, { apiId: "api_internal", name: "late" }, { ...options, origin });
    const left = await names(first);
    expect((await first.stop()).code).toBe(0);

    await using second = await startCli(demo);
    expect(await names(second)).toEqual(left);
    expect(left.slice(-2)).toEqual(["mine", "late"]);
    await createKey(
      door,
      { apiId: "api_internal", name: "last" },
      { ...options, origin: second.ready.url },
    );
    expect(await names(second)).toEqual([...left, "last"]);
    expect((await second.stop()).code).toBe(0);
    expect((await runCli(["check", state])).stdout).toMatch(
      /^ok: ws_acme with 2 APIs and 15 keys\n {2}api_payments has the keyspace ks_\w{9}\n/,
    );
  });

  test.each([
    ["state.json", "{", "not well-formed JSON at line 1, column 2"],
    ["state.json", "", "not well-formed JSON"],
    ["state.json", '{"apis":[{"id":"api_a"}]}', "expected a state that latchkey has saved"],
    [
      "state.json",
      '{"snapshot":{"randomSeed":1,"keyValues":0,"ids":{}},"keys":[{"apiId":"api_x"}]}',
      "keys[0].apiId: expected the id of an API of this workspace",
    ],
    ["state.yaml", "snapshot: {}", "expected a name that ends in .json"],
  ])(
    "--state refuses %s with the content %j and leaves it unchanged",
    async (name, text, message) => {
      const file = join(await givenFolder(), name);
      await writeFile(file, text);
      const { mtimeMs } = await stat(file);

      const { code, stderr } = await runCli(["--state", file, "--port", "0"]);

      expect(code).toBe(2);
      expect(stderr).toContain(file);
      expect(stderr).toContain(message);
      expect(await readFile(file, "utf8")).toBe(text);
      expect((await stat(file)).mtimeMs).toBe(mtimeMs);
    },
  );

  test("--state refuses a --token list without a token of the state, and says --generate is ignored", async () => {
    const state = join(await givenFolder(), "state.json");
    const { snapshot: _, ...rest } = (await givenEmulator()).snapshot();
    const tokens = [{ token: "mine", permissions: ["*"] }];
    const snapshot = { randomSeed: 5, keyValues: 0, ids: {} };
    await writeFile(state, JSON.stringify({ ...rest, tokens, snapshot }));

    const refused = await runCli(["--state", state, "--token", "other", "--port", "0"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("--token: expected every token of the saved state");
    expect((await readState(state)).tokens).toEqual(tokens);

    await using cli = await startBanner([
      "--state",
      state,
      "--token",
      "mine",
      "--generate",
      "5",
      "--port=0",
    ]);
    expect(cli.output.stdout).toContain(`  seed   5\n  state  ${state} (--generate ignored)\n`);
    // As in the state, which has none.
    expect(cli.output.stdout).toContain("api_one    0 keys");
  });

  test("--state reports a failed save once, goes on serving and exits with 1", async () => {
    const folder = await givenFolder();
    const state = join(folder, "state.json");
    await using cli = await startCli(["--state", state, "--log", "silent"]);
    await until(() => isSaved(state));
    await rm(folder, { recursive: true });

    const options = { origin: cli.ready.url };
    await createKey(door, { apiId: "api_local" }, options);
    await until(() => cli.output.stderr.includes("cannot be saved"));
    await createKey(door, { apiId: "api_local" }, options);
    expect((await listKeys(door, { apiId: "api_local" }, options)).body.total).toBe(5);
    const { code, stderr } = await cli.stop();

    expect(code).toBe(1);
    expect(stderr.match(/cannot be saved/g)).toHaveLength(1);
    expect(stderr).toContain(`--state: ${state}: cannot be saved: there is no such folder\n`);
  });

  test("--state does not overwrite a file that another program has written", async () => {
    const state = join(await givenFolder(), "state.json");
    await using cli = await startCli(["--state", state]);
    await until(() => isSaved(state));
    await writeFile(state, "theirs");

    await createKey(door, { apiId: "api_local" }, { origin: cli.ready.url });
    const { code, stderr } = await cli.stop();

    expect(code).toBe(1);
    expect(stderr).toContain("another program has changed this file");
    expect(await readFile(state, "utf8")).toBe("theirs");
  });
});

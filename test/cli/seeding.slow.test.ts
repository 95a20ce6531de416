import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { loadFixture } from "../../src/node.ts";
import { givenEmulator, listKeys, type Door } from "../_emulator.ts";
import { runMain, startBanner, startCli } from "../_cli.ts";
import { givenFolder } from "./_folder.ts";

const door: Door = { fetch: (request) => fetch(request) };

describe("generate", () => {
  test("generate writes the keys that an emulator generates from the same options, as a fixture", async () => {
    const flags = ["--random-seed", "3", "--now", "2026-05-01"];
    const args = ["--count", "30", "--api", "api_a", "--api", "api_b", ...flags];
    const written = await runMain(["generate", ...args]);
    const again = await runMain(["generate", ...args]);
    const fixture = JSON.parse(written.stdout);
    const direct = await givenEmulator({
      fixtures: [{ apis: fixture.apis }],
      generate: { count: 30 },
      randomSeed: 3,
      now: "2026-05-01",
    });

    expect(written.code).toBe(0);
    expect(written.stderr).toBe(
      "latchkey: wrote 30 generated keys; --random-seed 3 --now 2026-05-01T00:00:00.000Z makes the same\n",
    );
    expect(again.stdout).toBe(written.stdout);
    expect(fixture.keys).toEqual(JSON.parse(JSON.stringify(direct.snapshot().keys)));
    expect(fixture.apis).toMatchObject([
      { id: "api_a", name: "A" },
      { id: "api_b", name: "B" },
    ]);
  });

  test("generate writes JSON or YAML by the file's extension, and refuses to overwrite a file", async () => {
    const folder = await givenFolder();
    const [json, yaml] = [join(folder, "world.json"), join(folder, "world.yaml")];
    for (const file of [json, yaml]) {
      expect((await runMain(["generate", "--random-seed", "1", "--out", file])).code).toBe(0);
    }
    const twice = await runMain(["generate", "--out", json]);

    expect(await loadFixture(yaml)).toEqual(await loadFixture(json));
    expect(twice.code).toBe(2);
    expect(twice.stderr).toBe(
      `latchkey: ${json}: it exists already; name another, or remove it first\n`,
    );
    expect((await runMain(["check", yaml])).stdout).toMatch(
      /^ok: ws_local with 1 API and 100 keys\n {2}api_local has the keyspace ks_\w{9}\n$/,
    );
  });

  test("generate --fixture writes keys for that fixture's APIs with its prefixes", async () => {
    const file = join(await givenFolder(), "more.json");
    const beside = ["--fixture", "fixtures/demo.yaml"];
    const flags = ["--count", "9", "--random-seed", "1", "--out", file];
    const { code } = await runMain(["generate", ...beside, ...flags]);
    const more = await loadFixture(file);

    expect(code).toBe(0);
    expect(Object.keys(more)).not.toContain("apis");
    expect(more.keys?.some(({ start }) => start?.startsWith("pay_live_"))).toBe(true);
    expect((await runMain(["check", "fixtures/demo.yaml", file])).stdout).toBe(
      "ok: ws_acme with 2 APIs and 21 keys\n",
    );
  });

  test("generate --values writes values that follow from the random seed and can be verified", async () => {
    const folder = await givenFolder();
    const args = ["generate", "--count", "5", "--random-seed", "3", "--values"];
    const written = await runMain([...args, "--out", "keys.json"], { cwd: folder });
    const again = await runMain(args);
    const { keys = [] } = await loadFixture(join(folder, "keys.json"));
    await using cli = await startCli(["-f", "keys.json"], { cwd: folder });

    expect(written.code).toBe(0);
    expect(JSON.parse(again.stdout).keys).toEqual(keys);
    for (const { hash, id, key } of keys) {
      const body = JSON.stringify({ key });
      const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
      const url = `${cli.ready.url}/v2/keys.verifyKey`;
      const { data } = await (await fetch(url, { method: "POST", headers, body })).json();
      expect(hash).toBeUndefined();
      expect(data.keyId).toBe(id);
    }
  });

  test("generate --profile paging writes APIs of several sizes, alone and beside a fixture", async () => {
    const folder = await givenFolder({ "own.json": '{"apis":[{"id":"api_own"}]}' });
    const flags = ["generate", "--profile", "paging", "--out"];
    const beside = ["--fixture", "own.json"];
    await runMain([...flags, "alone.json"], { cwd: folder });
    await runMain([...flags, "added.json", ...beside], { cwd: folder });

    const alone = await runMain(["check", "alone.json"], { cwd: folder });
    const both = await runMain(["check", "own.json", "added.json"], { cwd: folder });

    expect(alone.stdout).toMatch(/^ok: ws_local with 7 APIs and 751 keys\n/);
    expect(both.stdout).toMatch(/^ok: ws_local with 8 APIs and 751 keys\n/);
  });

  test.each([
    [["--count", "many"], '--count: expected an integer from 0 to 1000000, got "many"'],
    [["--format", "xml"], '--format: expected "json" or "yaml", got "xml"'],
    [["--cuont", "5"], '--cuont: unknown option, did you mean "count"?'],
    [
      ["--api", "no api"],
      '--api: expected an id of 1 to 256 letters, digits, _ or -, got "no api"',
    ],
    [["--api", "api_a", "--api", "api_a"], "--api: expected each id once"],
    [
      ["--fixture", "fixtures/demo.yaml", "--api", "api_x"],
      '--api: expected an API of the fixture that can hold keys, got "api_x"',
    ],
    [["--out", "none/world.json"], "none/world.json: there is no such folder"],
    [["--profile", "paging", "--count", "5"], "--profile: expected neither --api nor --count"],
  ])("generate %j is refused", async (args, message) => {
    const { code, stderr, stdout } = await runMain(["generate", ...args]);

    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  test("serve --generate prints the flags that reproduce its world", async () => {
    await using first = await startBanner(["--generate", "20", "--port=0"]);
    const [, flags = ""] = /\((--random-seed .*) makes/.exec(first.output.stdout) ?? [];
    const [, url = ""] = /url +(\S+)/.exec(first.output.stdout) ?? [];
    await using second = await startCli(["--generate", "20", ...flags.split(" ")]);

    const query = { apiId: "api_local" };
    const [one, two] = await Promise.all(
      [url, second.ready.url].map((origin) => listKeys(door, query, { origin })),
    );
    expect(flags).toMatch(/^--random-seed \d+$/);
    expect(one?.body.total).toBe(23);
    // The identity of this key gets an id at the start.
    const made = (keys: { name: string }[]) => keys.filter(({ name }) => name !== "First key");
    expect(made(one?.body.keys)).toEqual(made(two?.body.keys));
  });
});

describe("init", () => {
  test("init makes the folder, and writes a valid fixture with comments that names its JSON Schema", async () => {
    const folder = await givenFolder();
    const { code, stdout } = await runMain(["init"], { cwd: folder });
    const nested = await runMain(["init", "fixtures/world.yml"], { cwd: folder });

    expect(code).toBe(0);
    expect(stdout).toBe(
      "wrote latchkey.yaml; start with: npx --no-install latchkey --fixture latchkey.yaml\n",
    );
    expect([nested.code, nested.stdout]).toEqual([
      0,
      "made the folder fixtures; wrote fixtures/world.yml; start with: npx --no-install latchkey --fixture fixtures/world.yml\n",
    ]);
    for (const file of ["latchkey.yaml", "fixtures/world.yml"]) {
      const text = await readFile(join(folder, file), "utf8");
      const [, named = ""] = /^# yaml-language-server: \$schema=(.*)$/m.exec(text) ?? [];
      const schema = "node_modules/latchkey/fixtures/fixture.schema.json";
      expect(resolve(folder, dirname(file), named)).toBe(join(folder, schema));
      expect(text.match(/#/g)?.length).toBeGreaterThan(10);
      expect((await runMain(["check", join(folder, file)])).stdout).toBe(
        "ok: ws_local with 1 API and 3 keys, and 25 generated keys\n",
      );
    }
    expect(existsSync("fixtures/fixture.schema.json")).toBe(true);
  });

  test.each([
    [["latchkey.json"], "init: latchkey.json: expected a name that ends in .yaml or .yml"],
    [["there.yaml"], "there.yaml: it exists already; name another, or remove it first"],
    [
      ["there.yaml/mine.yaml"],
      "init: there.yaml: it exists already; name another, or remove it first",
    ],
    [["there.yaml/more/mine.yaml"], "init: there.yaml/more: there is no such folder"],
  ])("init %j is refused", async (args, message) => {
    const folder = await givenFolder();
    await writeFile(join(folder, "there.yaml"), "mine");

    const { code, stderr } = await runMain(["init", ...args], { cwd: folder });

    expect([code, stderr]).toEqual([2, `latchkey: ${message}\n`]);
    expect(await readFile(join(folder, "there.yaml"), "utf8")).toBe("mine");
  });
});

describe("--watch", () => {
  test("--watch reloads a changed fixture, and keeps the emulator's state if the fixture is invalid", async () => {
    const file = join(await givenFolder(), "world.yaml");
    const fixtureOf = (...names: string[]) =>
      `apis: [{ id: api_a }]\nkeys: [${names.map((name) => `{ apiId: api_a, name: ${name} }`).join(", ")}]\n`;
    await writeFile(file, fixtureOf("one"));
    await using cli = await startCli(["--fixture", file, "--watch"]);
    const names = async () =>
      (await listKeys(door, { apiId: "api_a" }, { origin: cli.ready.url })).body.keys.map(
        ({ name }: { name: string }) => name,
      );
    const told = async (text: string) => {
      while (!cli.output.stderr.includes(text)) await new Promise((done) => setTimeout(done, 20));
    };

    await writeFile(file, fixtureOf("one", "two"));
    await told("--watch: loaded the changed fixtures, 2 keys");
    expect(await names()).toEqual(["one", "two"]);

    await writeFile(file, "keys: [{ apiId: api_b }]\n");
    await told(`${file}: keys[0].apiId: expected the id of an API`);
    await told("the fixtures were not loaded; the emulator keeps its state");
    expect(await names()).toEqual(["one", "two"]);

    // Editors write a new file and rename it over the old one.
    await writeFile(`${file}.new`, fixtureOf("three"));
    await rename(`${file}.new`, file);
    await told("--watch: loaded the changed fixtures, 1 key\n");
    expect(await names()).toEqual(["three"]);
    expect((await cli.stop()).code).toBe(0);
  });
});

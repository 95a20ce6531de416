import { describe, expect, test } from "vitest";
import { runCli } from "../_cli.ts";
import { givenFolder } from "./_folder.ts";

describe("usage errors", () => {
  test.each<[args: string[], lines: string[]]>([
    [
      ["--port", "x", "--log", "loud", "--token", "secret", "--token", ""],
      [
        '--log: expected "silent" or "warn" or "text" or "json", got "loud"',
        '--port: expected an integer from 0 to 65535, got "x"',
        "--token: expected text that is not empty",
      ],
    ],
    [
      ["--port", "1", "-p", "2", "--token", "t=a", "--token", "t=b"],
      ["--port: expected once, got it 2 times", "--token: expected each token once"],
    ],
    [["--strict=maybe"], ['--strict: expected true or false, got "maybe"']],
    [["--port"], ["Not enough arguments following: port"]],
    [["--token", "secretA", "secretB"], ["unexpected word: put an option before it"]],
    [
      ["-f", "none.yaml", "-f", "nil.json"],
      ["nil.json: there is no such file", "none.yaml: there is no such file"],
    ],
    [
      ["--isolate", "--state", "s.json", "--watch", "--open", "--no-control"],
      [
        "--isolate cannot be used with --state: isolated workspaces are not saved",
        "--open cannot be used with --no-control: there would be no page to open",
        "--watch cannot be used with --state",
        "--watch needs --fixture",
      ],
    ],
    [["init", "--port", "1"], ["--port: unknown option; init takes none"]],
  ])(
    "the command line %j is refused with exit code 2 and a line for each problem, without a stack",
    async (args, lines) => {
      const { code, stdout, stderr } = await runCli(args);

      expect(code).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).not.toMatch(/^ +at |secret/m);
      const told = stderr.trimEnd().split("\n").toSorted();
      expect(told).toHaveLength(lines.length);
      for (const [index, line] of lines.entries()) {
        expect(told[index]).toMatch(/^latchkey: /);
        expect(told[index]).toContain(line);
      }
    },
  );

  test.each([
    ["port: &a [*a]\n", "port: expected an integer from 0 to 65535, got an array of 1 item"],
    ["randomSeed: .nan\n", "randomSeed: expected an integer of at least 0, got NaN"],
    ["- port\n", "expected an object with options"],
    [
      "latency: 250-80\n",
      'latency: expected milliseconds, an integer from 0 to 3600000, or [min, max] of these, as a flag MIN-MAX, got "250-80"',
    ],
  ])("the configuration %j is refused with exit code 2 and one line", async (text, problem) => {
    const cwd = await givenFolder({ "latchkey.config.yaml": text });

    const { code, stderr } = await runCli([], { cwd });

    expect([code, stderr.trimEnd().split("\n").length]).toEqual([2, 1]);
    expect(stderr).toContain(`latchkey: latchkey.config.yaml: ${problem}`);
  });

  test("format errors in all fixtures are reported at once, each in one line", async () => {
    const cwd = await givenFolder({
      "a.yaml": "apis: [{ id: api_one, keyspace: 1 }]\nkeyz: []\n",
      "b.json": '{"keys":[{"apiId":2}]}',
    });

    const { code, stderr } = await runCli(["-f", "a.yaml", "-f", "b.json"], { cwd });

    expect(code).toBe(2);
    expect(stderr.trimEnd().split("\n")).toEqual([
      "latchkey: a.yaml: apis[0].keyspace: expected true or false, got 1",
      'latchkey: a.yaml: keyz: unknown member, did you mean "keys"? (known: $schema, workspace, tokens, apis, permissions, roles, identities, ratelimitNamespaces, migrations, keys, generate, snapshot, faults, workspaces)',
      "latchkey: b.json: keys[0].apiId: expected an id of 1 to 256 letters, digits, _ or -, got 2",
    ]);
  });

  test("unknown and invalid members of a configuration file, and two such files, are refused", async () => {
    const one = await givenFolder({
      "latchkey.config.json": '{"prot":1,"port":"4010","fixtures":[1]}',
    });
    const two = await givenFolder({ "latchkey.config.json": "{}", "latchkey.config.yaml": "" });
    const both = await givenFolder({ "latchkey.config.yaml": "", "latchkey.config.yml": "" });

    const wrong = await runCli([], { cwd: one });
    const twice = await runCli([], { cwd: two });
    const alike = await runCli([], { cwd: both });

    expect(wrong.stderr.trimEnd().split("\n")).toEqual([
      "latchkey: latchkey.config.json: fixtures: expected text that is not empty",
      'latchkey: latchkey.config.json: port: expected an integer from 0 to 65535, got "4010"',
      'latchkey: latchkey.config.json: prot: unknown option, did you mean "port"? (known: fixtures, generate, randomSeed, now, state, watch, tokens, isolate, controlToken, control, allowHosts, allowOrigins, as, strict, quirks, operations, latency, ignoreFindings, recordHeaders, port, host, publicUrl, gateway, gatewayPort, ui, open, log, json)',
    ]);
    expect(twice.stderr).toContain(
      "latchkey.config.json and latchkey.config.yaml: expected only one of them",
    );
    expect(alike.stderr).toBe(
      "latchkey: latchkey.config.yaml and latchkey.config.yml: expected only one of them\n",
    );
    expect([wrong.code, twice.code, alike.code]).toEqual([2, 2, 2]);
  });
});

import { expect, test } from "vitest";
import { quirks } from "../../src/api/quirks.ts";
import { startProcess } from "../../src/node.ts";
import { runCli, runMain, startBanner, startCli } from "../_cli.ts";
import { createKey, listKeys } from "../_emulator.ts";
import { control } from "../control/_control.ts";
import { givenFolder } from "./_folder.ts";

const door = { fetch: (request: Request) => fetch(request) };
const key = { apiId: "api_local" };

test("quirks lists every quirk with its description", async () => {
  const { code, stdout } = await runMain(["quirks"]);

  expect(code).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual(Object.entries(quirks));
});

test("openapi --control prints the document of the control routes", async () => {
  const { stdout } = await runMain(["openapi", "--control"]);

  expect(Object.keys(JSON.parse(stdout).paths)).toContain("/_latchkey/faults/{id}");
});

test("startProcess takes the options quirks, latency, isolate and control", async () => {
  const { url, stop } = await startProcess({
    quirks: ["trailing-cursor", "async-false"],
    latency: [1, 2],
    isolate: true,
    control: false,
  });
  try {
    const origin = url;
    await createKey(door, key, { origin, token: "one" });
    const one = await listKeys(door, key, { origin, token: "one" });
    const two = await listKeys(door, key, { origin, token: "two" });

    expect([one.body.total, two.body.total]).toEqual([4, 3]);
    expect(one.body.cursor).toBeDefined();
    expect((await fetch(`${url}/_latchkey/health`)).status).toBe(404);
  } finally {
    await stop();
  }
});

test("the configuration file takes quirks, latency, isolate and allowHosts", async () => {
  const cwd = await givenFolder({
    "latchkey.config.yaml": "quirks: [all]\nlatency: [1, 5]\nisolate: true\nallowHosts: [box]\n",
  });
  await using running = await startCli([], { cwd });
  const { url } = running.ready;

  expect((await createKey(door, {}, { origin: url, token: null })).status).toBe(400);
  const faults = await (await fetch(`${url}/_latchkey/faults`)).json();
  expect(faults).toMatchObject({ faults: [{ id: "fault_1", latency: [1, 5] }] });
  const statusFrom = async (host: string) =>
    (await control(running.ready, "GET /clock", { host })).status;
  expect([await statusFrom("box:4010"), await statusFrom("other")]).toEqual([200, 403]);
});

test("the log names the fault applied to a call, and prints - as the status of a dropped one", async () => {
  const cwd = await givenFolder({
    "world.yaml": `
      apis: [{ id: api_local }]
      faults:
        - { operation: keys.createKey, effect: drop, when: after, times: 1 }
        - { operation: apis.listKeys, status: 503, latency: [1, 2] }
    `,
  });
  await using running = await startCli(["-f", "world.yaml"], { cwd });
  const { url: origin } = running.ready;
  await expect(createKey(door, key, { origin })).rejects.toThrow(TypeError);
  await listKeys(door, key, { origin });
  await fetch(`${origin}/_latchkey/faults`, { method: "DELETE" });

  const { stderr } = await running.stop();

  const [dropped, refused, control] = stderr.trimEnd().split("\n");
  expect(dropped).toMatch(/POST \/v1\/keys\.createKey - [\d.]+ ms fault: fault_1 \(drop after\)$/);
  expect(refused).toMatch(
    /GET \/v1\/apis\.listKeys 503 [\d.]+ ms INTERNAL_SERVER_ERROR \(an injected fault\) fault: fault_2 \(503 1-2 ms before\)$/,
  );
  expect(control).toMatch(/DELETE \/_latchkey\/faults 204/);
});

test("the banner names the quirks", async () => {
  await using quirky = await startBanner([
    "--port=0",
    "--quirk=trailing-cursor",
    "--quirk=async-false",
  ]);

  expect(quirky.output.stdout).toContain("  quirk  trailing-cursor, async-false\n");
});

test("the banner says with --isolate that each token has its own copy", async () => {
  await using any = await startBanner(["--isolate", "--port=0"]);
  await using some = await startBanner(["--isolate", "--port=0", "--token=tea=*"]);

  expect(any.output.stdout).toContain(
    "  token  local (any is accepted, and each token has its own copy of the workspace)",
  );
  expect(some.output.stdout).toContain(
    "  token  tea (each --token is accepted, and each token has its own copy of the workspace)",
  );
});

test.each([
  [
    "the flag",
    ["--allow-origin", "http://a.example", "--allow-origin", "http://b.example"],
    {},
    "",
  ],
  ["the variable", [], { LATCHKEY_ALLOW_ORIGIN: "http://a.example, http://b.example" }, ""],
  ["the configuration", [], {}, "allowOrigins: [http://a.example, http://b.example]\n"],
] as const)(
  "%s allows pages of several origins to use control routes",
  async (_, args, env, config) => {
    const cwd = await givenFolder(config === "" ? {} : { "latchkey.config.yaml": config });
    await using cli = await startCli(args, { cwd, env });
    const allowed = async (origin: string) => {
      const { headers } = await fetch(`${cli.ready.url}/_latchkey/clock`, {
        headers: { Origin: origin },
      });
      return headers.get("access-control-allow-origin");
    };

    expect(await allowed("http://a.example")).toBe("http://a.example");
    expect(await allowed("http://b.example")).toBe("http://b.example");
    expect(await allowed("http://c.example")).toBeNull();
  },
);

test("wrong values of several options are refused with a line for each", async () => {
  const wrong = ["--quirk", "stale", "--latency", "fast", "--allow-host", "http://box"];

  const { code, stderr } = await runCli([...wrong, "--allow-origin", "localhost:6006"]);

  expect(code).toBe(2);
  expect(stderr.trimEnd().split("\n").toSorted()).toEqual([
    expect.stringMatching(/^latchkey: --allow-host: expected names of hosts/),
    expect.stringMatching(
      /^latchkey: --allow-origin: expected origins of pages, like http:\/\/localhost:6006, with a scheme and without a path, got "/,
    ),
    expect.stringMatching(/^latchkey: --latency: expected milliseconds, .*, got "fast"$/),
    expect.stringMatching(
      /^latchkey: --quirk: unknown quirk "stale".* \(known: validate-first, .*, all\)$/,
    ),
  ]);
});

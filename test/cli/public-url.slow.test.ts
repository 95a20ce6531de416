import { expect, test } from "vitest";
import { runCli, startBanner, startCli } from "../_cli.ts";
import { startProcess } from "../../src/node.ts";
import { control } from "../control/_control.ts";

const PUBLIC = "https://demo.example/latchkey";
const ARGS = ["--public-url", `${PUBLIC}/`, "--token", "visitor=latchkey.watch"];

test.each([`${PUBLIC}/`, PUBLIC])(
  "with --public-url %s, the banner shows that URL, and the page below it",
  async (url) => {
    await using running = await startBanner(["--port=0", "--public-url", url, "--token=tea"]);

    const { stdout } = running.output;
    expect(stdout).toContain(`  url    ${PUBLIC}\n`);
    expect(stdout).toContain(`  page   ${PUBLIC}/#token=tea\n`);
    expect(stdout).toContain(`'${PUBLIC}/v2/apis.listKeys'`);
    expect(stdout).not.toContain("localhost");
  },
);

test.each([
  ["says that everyone may use control routes", [], true],
  ["does not, if a token is listed", ["--token=tea"], false],
  ["does not, if there is a control token", ["--control-token=ctl"], false],
  ["does not, without control routes", ["--no-control"], false],
])("with --public-url, the banner %s", async (_, more, expected) => {
  await using running = await startBanner(["--port=0", "--public-url", PUBLIC, ...more]);

  expect(running.output.stdout.includes("everyone who opens the url may use")).toBe(expected);
});

test("with --public-url, the ready line has that URL and the port that the process listens on", async () => {
  await using running = await startCli(ARGS);

  const { port, url } = running.ready;
  expect(url).toBe(PUBLIC);
  expect((await fetch(`http://localhost:${port}/_latchkey/ready`)).status).toBe(200);
});

test("with --public-url, control routes accept its host and its page, and no other", async () => {
  await using running = await startCli(ARGS);
  const { controlToken = "", port } = running.ready;
  const statusOf = async (host: string, origin: string) =>
    (await control({ port }, "POST /reset", { host, origin, token: controlToken })).status;

  expect(await statusOf("demo.example", "https://demo.example")).toBe(204);
  expect(await statusOf("demo.example", "https://other.example")).toBe(403);
  expect(await statusOf("other.example", "https://demo.example")).toBe(403);
});

test("exec and startProcess with a public URL reach the process where it listens", async () => {
  const command = [process.execPath, "-p", "process.env.LATCHKEY_URL"];
  const { stdout } = await runCli(["exec", ...ARGS, "--", ...command]);
  await using running = await startProcess({ publicUrl: `${PUBLIC}/` });

  expect(stdout).toMatch(/^http:\/\/localhost:\d+\n$/);
  expect(running.url).toBe(`http://localhost:${running.port}`);
  expect((await running.clock.get()).frozen).toBe(false);
});

test.each([
  "demo.example",
  "/latchkey/",
  "ftp://demo.example/",
  "https://user@demo.example/",
  "https://demo.example/?page",
  "https://demo.example/#page",
  "https://",
])("--public-url %s is refused in one line with exit code 2", async (url) => {
  const { code, stderr } = await runCli(["--port=0", "--public-url", url]);

  const got = url.includes("@") ? "" : `, got "${url}"`;
  expect([code, stderr]).toEqual([
    2,
    `latchkey: --public-url: expected a URL like https://demo.example/latchkey/, without user, query and fragment${got}\n`,
  ]);
});

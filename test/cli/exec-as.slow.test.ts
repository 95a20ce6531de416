import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { redirect } from "../../src/cli/redirection.ts";
import { runCli, startUntil, type RunOptions } from "../_cli.ts";

const SERVICE = "https://api.unkey.com";

/** Runs a program with the host compiled in, redirected from these origins. */
function redirected(
  program: readonly string[],
  options: RunOptions = {},
  origins: readonly string[] = [SERVICE],
) {
  const as = origins.flatMap((origin) => ["--as", origin]);
  return runCli(["exec", ...as, "--", process.execPath, ...program], options);
}

const MAIN = "test/doors/redirect/_programs/main.js";

test("exec --as redirects programs with the host compiled in, and says how many calls came", async () => {
  const ways = ["fetch", "https.request", "axios", "got", "undici.request with an agent"];
  const clients = ["@unkey/api 0.38", "@unkey/api 2.5.1"];
  const origins = [SERVICE, "https://api.unkey.dev"];

  const { code, stderr, stdout } = await redirected([MAIN, ...ways, ...clients], {}, origins);

  const lives = stdout.trim().split("\n");
  expect(code).toBe(0);
  expect(lives.map((line) => JSON.parse(line))).toEqual(
    [...ways, ...clients].map(() => ({
      isListed: true,
      isValid: true,
      unserved: expect.stringMatching(/^404 latchkey does not serve /),
    })),
  );
  expect(stderr).toContain("latchkey: 28 calls came: 21 × 200, 7 × 404\n");
});

test("exec --as adds to the NODE_OPTIONS of the command", async () => {
  const program =
    "console.log(process.env.NODE_OPTIONS, process.stackTraceLimit, Error.stackTraceLimit)";
  const { stderr, stdout } = await redirected(["-e", program], {
    env: { NODE_OPTIONS: "--stack-trace-limit=7" },
  });

  expect(stdout).toMatch(/^--require ".+redirect\.cjs" --stack-trace-limit=7 undefined 7\n$/);
  expect(stderr).toContain(
    "latchkey: warning: no call came for api.unkey.com: the program calls no such host, or it does not get the variables that redirect it (Turborepo's strict mode, tox, Bazel and sudo drop variables), or it takes no proxy from them, so its calls may have gone to the real service; see docs/unchanged-programs.md\n",
  );
});

test("a configuration file may name the origins", async () => {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-as-"));
  await writeFile(join(folder, "latchkey.config.yaml"), `as: [${SERVICE}]\n`);
  const program = `fetch("${SERVICE}/v2/liveness").then(({ status }) => console.log(status));`;
  try {
    const args = ["exec", "--", process.execPath, "-e", program];
    const { stderr, stdout } = await runCli(args, { cwd: folder });

    expect([stdout, stderr]).toEqual(["200\n", "latchkey: 1 call came: 1 × 200\n"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("serve --as prints the variables of programs", async () => {
  await using running = await startUntil(/curl .*\n/, ["--as", SERVICE, "--port", "0"]);

  expect(running.output.stdout).toMatch(
    /^ {2}as {5}https:\/\/api\.unkey\.com, for programs that run with these variables:\n {9}LATCHKEY_URL='http:\/\/localhost:\d+' LATCHKEY_AS='https:\/\/api\.unkey\.com' NODE_OPTIONS='--require ".+redirect\.cjs"' HTTP_PROXY='http:\/\/latchkey:[\da-f]+@127\.0\.0\.1:\d+' .*SSL_CERT_FILE='.+\.pem'.*'$/m,
  );
});

test("exec without --as sets no variable that redirects, but keeps proxies from the emulator", async () => {
  const names = [
    "HTTPS_PROXY",
    "LATCHKEY_AS",
    "NODE_OPTIONS",
    "SSL_CERT_FILE",
    "NO_PROXY",
    "no_proxy",
  ];
  const print = `console.log(${JSON.stringify(names)}.map((name) => process.env[name]).join(" "))`;
  const env = { HTTPS_PROXY: "http://other.test", SSL_CERT_FILE: "/own.pem", NO_PROXY: "a.test" };

  const { stdout } = await runCli(["exec", "--", process.execPath, "-e", print], { env });

  const direct = "a.test,localhost,127.0.0.1,::1";
  expect(stdout).toBe(`http://other.test   /own.pem ${direct} ${direct}\n`);
});

test("with two origins, an origin without calls is not reported", async () => {
  const program = `fetch("${SERVICE}/v2/liveness")`;

  const { stderr } = await redirected(["-e", program], {}, [SERVICE, "https://api.unkey.dev"]);

  expect(stderr).toBe("latchkey: 1 call came: 1 × 200\n");
});

test("control routes and the web page are not served under a redirected host", async () => {
  const program = `
    for (const path of ["/", "/_latchkey/ready", "/_latchkey/ui"])
      fetch("${SERVICE}" + path).then(({ status }) => console.log(status));
  `;

  const { stdout } = await redirected(["-e", program]);

  expect(stdout).toBe("404\n404\n404\n");
});

const EXPECTED =
  "--as: expected the origin of a service, like https://api.unkey.com: https or http, a host other than this machine, and no path, got ";

test.each([
  [["api.unkey.com"], `${EXPECTED}"api.unkey.com"`],
  [["https://"], `${EXPECTED}"https://"`],
  [[`${SERVICE}/v2`], `${EXPECTED}"https://api.unkey.com/v2"`],
  [["https://localhost:3000"], `${EXPECTED}"https://localhost:3000"`],
  [["https://app.localhost"], `${EXPECTED}"https://app.localhost"`],
  [["http://127.0.0.1"], `${EXPECTED}"http://127.0.0.1"`],
  [["https://[::1]"], `${EXPECTED}"https://[::1]"`],
  [["https://user:secret@api.unkey.com"], `${EXPECTED}"https://***@api.unkey.com"`],
  [["ftp://api.unkey.com"], `${EXPECTED}"ftp://api.unkey.com"`],
  [
    [SERVICE, "https://API.unkey.com:443/"],
    "--as: expected each origin once, got https://api.unkey.com again",
  ],
])("--as refuses %j in one line", (origins, line) => {
  expect(() => redirect(origins, {})).toThrow(expect.objectContaining({ problems: [line] }));
});

test("exec refuses an origin with a path before the command runs", async () => {
  const { code, stderr, stdout } = await redirected(["-p", "1"], {}, [`${SERVICE}/v2`]);

  expect([code, stdout, stderr]).toEqual([
    2,
    "",
    `latchkey: ${EXPECTED}"https://api.unkey.com/v2"\n`,
  ]);
});

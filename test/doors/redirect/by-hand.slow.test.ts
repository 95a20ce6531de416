import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { startProcess } from "../../../src/node.ts";
import { startCli } from "../../_cli.ts";
import { run } from "../../_run.ts";

const REDIRECT = pathToFileURL(resolve("dist/redirect/by-hand.js")).href;
const SERVICE = "https://api.unkey.com";

/** Runs a program that imports the module by hand. */
const importing = (code: string, env: Record<string, string>) =>
  run(
    process.execPath,
    ["--input-type=module", "-e", `import ${JSON.stringify(REDIRECT)};\n${code}`],
    process.cwd(),
    env,
  );

const LIST = `
  const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
  const body = '{"apiId":"api_local"}';
  const reply = await fetch("${SERVICE}/v2/apis.listKeys", { method: "POST", headers, body });
  console.log(reply.status);
`;

test("a program that imports latchkey/redirect calls the emulator at LATCHKEY_URL", async () => {
  await using emulator = await startCli();

  const { stdout } = await importing(LIST, {
    LATCHKEY_URL: emulator.ready.url,
    LATCHKEY_AS: ` ${SERVICE}, https://api.unkey.dev`,
  });

  expect(stdout).toBe("200\n");
});

test("a program may import latchkey/redirect although its variables redirect it already", async () => {
  await using emulator = await startProcess({ as: [SERVICE] });

  const { stderr, stdout } = await importing(LIST, emulator.programEnv);

  expect([stdout, stderr]).toEqual(["200\n", ""]);
});

test("startProcess returns the variables of programs, with those that redirect only for as", async () => {
  await using plain = await startProcess({ tokens: ["first"], controlToken: "control" });
  await using redirecting = await startProcess({ as: [SERVICE] });

  expect(plain.programEnv).toEqual({
    LATCHKEY_URL: plain.url,
    LATCHKEY_TOKEN: "first",
    LATCHKEY_CONTROL_TOKEN: "control",
    NO_PROXY: "localhost,127.0.0.1,::1",
    no_proxy: "localhost,127.0.0.1,::1",
  });
  expect(redirecting.programEnv).toEqual({
    LATCHKEY_URL: redirecting.url,
    LATCHKEY_TOKEN: "local",
    LATCHKEY_AS: SERVICE,
    NODE_OPTIONS: expect.stringMatching(/^--require ".+redirect\.cjs"/),
    ...Object.fromEntries(FOR_OTHER_LANGUAGES.map((name) => [name, expect.any(String)])),
  });
});

/** The variables of the proxy and of the authorities that programs trust. */
const FOR_OTHER_LANGUAGES = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]
  .flatMap((name) => [name, name.toLowerCase()])
  .concat("SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PHP_INI_SCAN_DIR")
  .concat("NODE_EXTRA_CA_CERTS", "DENO_CERT");

test("a redirected program can start another emulator", async () => {
  await using emulator = await startProcess({ as: [SERVICE] });
  const node = pathToFileURL(resolve("dist/node.js")).href;
  const code = `
    import { startProcess } from ${JSON.stringify(node)};
    const own = await startProcess({ controlToken: "control" });
    console.log(own.url !== process.env.LATCHKEY_URL, own.programEnv.LATCHKEY_AS);
    await own.stop();
  `;

  const { stderr, stdout } = await importing(code, emulator.programEnv);

  expect(stdout).toBe("true undefined\n");
  expect(stderr).toBe("");
});

test.each([
  [
    {},
    "latchkey/redirect: LATCHKEY_URL: expected the URL of a running latchkey, like http://localhost:4010, got none",
  ],
  [
    { LATCHKEY_URL: "http://localhost:1" },
    "latchkey/redirect: LATCHKEY_AS: expected the origin of a service, like https://api.unkey.com: https or http, a host other than this machine, and no path, got none",
  ],
  [
    { LATCHKEY_URL: "http://emulator.test:1", LATCHKEY_AS: "https://emulator.test" },
    'latchkey/redirect: LATCHKEY_URL: expected no host of LATCHKEY_AS, got "http://emulator.test:1"',
  ],
])("latchkey/redirect with the variables %j says what is wrong", async (env, line) => {
  const { code, stderr } = await importing("", env);

  expect(code).toBe(1);
  expect(stderr).toContain(`Error: ${line}\n`);
});

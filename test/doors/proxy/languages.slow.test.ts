import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { rootCertificates } from "node:tls";
import { expect, test } from "vitest";
// @ts-expect-error -- scripts have no types
import { programOf } from "../../../scripts/on-demand.js";
import { runCli } from "../../_cli.ts";
import { givenFolder } from "../../cli/_folder.ts";
import { SERVICE } from "./_proxy.ts";

const PROGRAMS = "test/doors/proxy/_programs";

/** Programs with the host compiled in. Certificate checks are on in all of them. */
const programs: Record<string, () => readonly string[]> = {
  curl: () => ["sh", join(PROGRAMS, "life.sh")],
  "urllib of Python": () => ["python3", join(PROGRAMS, "life.py"), "urllib"],
  Deno: () => [programOf("deno"), "run", "--allow-net", join(PROGRAMS, "life.js")],
  Bun: () => [programOf("bun"), join(PROGRAMS, "life.js")],
};

test.each(Object.keys(programs))("%s makes, lists and verifies a key", async (name) => {
  const { code, stderr, stdout } = await runCli([
    "exec",
    `--as=${SERVICE}`,
    "--",
    ...(programs[name]?.() ?? []),
  ]);

  expect({ code, stdout }).toEqual({ code: 0, stdout: "listed\nvalid\n404\n" });
  expect(stderr).toContain("latchkey: 4 calls came: 3 × 200, 1 × 404\n");
});

test("a program that does not trust the authority is reported", async () => {
  const folder = await givenFolder({ "roots.pem": rootCertificates.join("\n") });
  const program = ["curl", "--silent", "--cacert", join(folder, "roots.pem"), SERVICE];

  const { code, stderr } = await runCli(["exec", `--as=${SERVICE}`, "--", ...program]);

  expect(code).toBe(60);
  expect(stderr).toContain("a program broke off TLS with a redirected host (ERR_SSL_");
  expect(stderr).toContain("latchkey: warning: no call came for api.unkey.com: ");
});

test("the files that programs trust are gone after a command that was killed", async () => {
  const program = 'echo "$SSL_CERT_FILE"; test -s "$SSL_CERT_FILE" && kill -9 $$';

  const { code, stdout } = await runCli(["exec", `--as=${SERVICE}`, "--", "sh", "-c", program]);

  expect(code).toBe(137);
  expect(stdout).toMatch(/latchkey-as-.+SSL_CERT_FILE\.pem\n$/);
  expect(existsSync(dirname(stdout.trim()))).toBe(false);
});

test("exec refuses variables that name a proxy of another kind, before the command runs", async () => {
  const env = { https_proxy: "socks5://ann:secret@proxy.test" };

  const { code, stderr, stdout } = await runCli(
    ["exec", `--as=${SERVICE}`, "--", "echo", "started"],
    { env },
  );

  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("latchkey: --as: HTTPS_PROXY: expected the URL of an HTTP proxy");
  expect(stderr).not.toContain("secret");
});

import { existsSync, mkdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rootCertificates } from "node:tls";
import { expect, test } from "vitest";
import {
  isExempt,
  noProxyVariables,
  readEarlierProxies,
} from "../../../src/doors/proxy/no-proxy.ts";
import { givenFolder } from "../../cli/_folder.ts";
import { givenProxy } from "./_proxy.ts";

test("both spellings of the variables name the proxy, and loopback is never proxied", async () => {
  await using proxy = await givenProxy();
  const { HTTPS_PROXY, HTTP_PROXY, NO_PROXY, http_proxy, https_proxy, no_proxy } = proxy.variables;

  expect(HTTPS_PROXY).toMatch(/^http:\/\/latchkey:[\da-f]{36}@127\.0\.0\.1:\d+$/);
  expect(new Set([HTTPS_PROXY, HTTP_PROXY, http_proxy, https_proxy]).size).toBe(1);
  expect([NO_PROXY, no_proxy]).toEqual(["localhost,127.0.0.1,::1", "localhost,127.0.0.1,::1"]);
});

test("NO_PROXY is kept, but entries that mean a redirected host are dropped with a warning", async () => {
  await using proxy = await givenProxy({
    env: { NO_PROXY: "a.test, .unkey.com localhost,api.unkey.com:443,api.unkey.com:80" },
  });

  expect(proxy.variables["NO_PROXY"]).toBe("a.test,localhost,api.unkey.com:80,127.0.0.1,::1");
  expect(proxy.warnings).toEqual([
    "NO_PROXY: .unkey.com is dropped, because it means a redirected host",
    "NO_PROXY: api.unkey.com:443 is dropped, because it means a redirected host",
  ]);
});

test("NO_PROXY that means every host stays as it is", () => {
  expect(noProxyVariables(["a.test", "*"])).toEqual({ NO_PROXY: "*", no_proxy: "*" });
});

test.each([
  ["*", "a.test", true],
  ["a.test", "a.test", true],
  ["A.test.", "a.test", true],
  ["a.test", "b.a.test", true],
  [".a.test", "a.test", true],
  ["*.a.test", "b.a.test", true],
  ["a.test", "ba.test", false],
  ["a.test:443", "a.test", true],
  ["a.test:80", "a.test", false],
  ["10.1.2.3", "10.1.2.3", true],
  ["10.0.0.0/8", "10.1.2.3", true],
  ["10.0.0.0/8", "11.1.2.3", false],
  ["10.0.0.0/99", "10.0.0.0", false],
  ["[::1]", "::1", true],
  ["fd00::/8", "fd12::1", true],
  ["fd00::/8", "10.1.2.3", false],
  [".", "a.test", false],
])("an entry %s of NO_PROXY for %s: %j", (entry, host, isMeant) => {
  expect(isExempt(entry, host, 443)).toBe(isMeant);
});

test.each([
  [{ ALL_PROXY: "socks5://ann:secret@proxy.test:1080" }, "ALL_PROXY", "socks5:"],
  [{ https_proxy: "http://[" }, "HTTPS_PROXY", "other text"],
  [{ HTTP_PROXY: "http://ann:%zz@proxy.test" }, "HTTP_PROXY", "other text"],
])("a proxy of another kind is refused without its password: %j", (env, name, got) => {
  expect(() => readEarlierProxies(env)).toThrow(
    `--as: ${name}: expected the URL of an HTTP proxy, like http://proxy.example:3128, got ${got}; unset ${name} for this command`,
  );
});

test("a proxy without a scheme speaks HTTP, and an empty variable names none", () => {
  const proxies = readEarlierProxies({ https_proxy: "proxy.test:3128", HTTP_PROXY: "" });

  expect(proxies.find("https", "a.test", 443)?.href).toBe("http://proxy.test:3128/");
  expect(proxies.find("http", "a.test", 80)).toBeUndefined();
});

test("authorities that variables name stay trusted, beside the proxy's", async () => {
  const folder = await givenFolder({
    "own.pem": "-----BEGIN CERTIFICATE-----\nown",
    "several/one.pem": "-----BEGIN CERTIFICATE-----\none",
    "several/two.crt": "-----BEGIN CERTIFICATE-----\ntwo",
    "several/readme": "other",
  });
  await using proxy = await givenProxy({
    env: {
      SSL_CERT_FILE: join(folder, "own.pem"),
      REQUESTS_CA_BUNDLE: join(folder, "several"),
      NODE_EXTRA_CA_CERTS: join(folder, "none.pem"),
    },
  });
  const read = (name: string) => readFileSync(proxy.variables[name] ?? "", "utf8");

  const own = `-----BEGIN CERTIFICATE-----\nown\n`;
  expect(read("SSL_CERT_FILE").startsWith(own)).toBe(true);
  // curl reads SSL_CERT_FILE if it has nothing else.
  expect(read("CURL_CA_BUNDLE")).toBe(read("SSL_CERT_FILE"));
  expect(read("REQUESTS_CA_BUNDLE")).toMatch(/one\n.*\ntwo\n-----BEGIN/);
  expect(read("DENO_CERT")).toMatch(
    /^\n-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n$/,
  );
  expect(read("NODE_EXTRA_CA_CERTS")).toBe(read("DENO_CERT"));
  expect(proxy.warnings).toEqual([
    expect.stringMatching(/^NODE_EXTRA_CA_CERTS: cannot read it, so it adds no authority: ENOENT/),
  ]);
});

test("without such variables the authorities of the system stay trusted", async () => {
  await using proxy = await givenProxy();

  const bundle = readFileSync(proxy.variables["SSL_CERT_FILE"] ?? "", "utf8");

  expect(bundle.split("BEGIN CERTIFICATE").length).toBeGreaterThan(rootCertificates.length / 2);
  expect(bundle.endsWith(proxy.authority.trimStart())).toBe(true);
});

test("only the user can read the files, they hold no key, and they are gone at the end", async () => {
  const proxy = await givenProxy();
  const folder = dirname(proxy.variables["SSL_CERT_FILE"] ?? "");
  const { mode } = statSync(folder);
  const settings = proxy.variables["PHP_INI_SCAN_DIR"] ?? "";
  await proxy.close();

  expect(mode & 0o777).toBe(0o700);
  expect(settings).toBe(`:${join(folder, "php")}`);
  expect(proxy.authority).not.toContain("KEY");
  expect(existsSync(folder)).toBe(false);
});

test("folders of processes that were killed long ago are removed", async () => {
  // No process can have this id.
  const [old, recent] = ["old", "recent"].map((name) =>
    join(tmpdir(), `latchkey-as-99999999-${name}`),
  );
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
  for (const folder of [old, recent]) mkdirSync(folder as string, { recursive: true });
  utimesSync(old as string, twoDaysAgo, twoDaysAgo);

  await using _ = await givenProxy();

  expect([old, recent].map((folder) => existsSync(folder as string))).toEqual([false, true]);
});

/**
 * Redirects the connections of this process to an emulator, as `latchkey exec --as` does for Node:
 * connections to the origins in LATCHKEY_AS, separated by commas, go to the one at LATCHKEY_URL.
 * @module
 * @throws Error if one of the two variables is missing or invalid
 */
import { syncBuiltinESMExports } from "node:module";
import { fileURLToPath } from "node:url";
import { redirectChildren } from "./children.ts";
import { redirectSockets, redirectTls } from "./connections.ts";
import { preloadFlag } from "./node-options.ts";
import { toHost } from "./host.ts";
import { EXPECTED_ORIGIN, toOrigin, writtenOrigin } from "./origins.ts";
import { Redirects } from "./origins.ts";

// Deno reads NODE_OPTIONS too. Like Bun, it uses the proxy of `latchkey exec --as`.
const { bun, deno } = process.versions;
if (bun === undefined && deno === undefined) redirectThisProcess();

function redirectThisProcess(): void {
  const { LATCHKEY_AS: names = "", LATCHKEY_URL: url = "" } = process.env;

  const { hostname, port, protocol } = URL.canParse(url) ? new URL(url) : {};
  if (hostname === undefined || protocol !== "http:") {
    throw fail(
      "LATCHKEY_URL: expected the URL of a running latchkey, like http://localhost:4010",
      url,
    );
  }
  const origins = names.split(",").map((text) => {
    return toOrigin(text.trim()) ?? fail(`LATCHKEY_AS: ${EXPECTED_ORIGIN}`, text);
  });
  const redirects = new Redirects({ host: toHost(hostname), port: Number(port) || 80 }, origins);
  if (redirects.covers(hostname)) throw fail("LATCHKEY_URL: expected no host of LATCHKEY_AS", url);
  redirectSockets(redirects);
  redirectTls(redirects);
  const flag = preloadFlag(fileURLToPath(import.meta.url));
  redirectChildren({ LATCHKEY_AS: names, LATCHKEY_URL: url, flag });
  // ES modules import copies of these functions.
  syncBuiltinESMExports();
}

function fail(expected: string, got: string): never {
  throw new Error(
    `latchkey/redirect: ${expected}, got ${got === "" ? "none" : writtenOrigin(got)}`,
  );
}

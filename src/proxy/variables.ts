import { variable } from "./earlier-proxies.ts";
import { isExempt, toEntries } from "./no-proxy.ts";

const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

/**
 * The variables that name the proxy. NO_PROXY keeps its entries, and gains the addresses of this machine.
 * An entry that means a redirected host is dropped, because programs would call the real host.
 */
export function proxyVariables(
  url: string,
  hosts: readonly { readonly host: string; readonly port: number }[],
  env: Readonly<Record<string, string | undefined>>,
  warn: (problem: string) => void,
): Readonly<Record<string, string>> {
  const entries = toEntries(variable(env, "NO_PROXY") ?? "");
  const dropped = entries.filter((entry) =>
    hosts.some(({ host, port }) => isExempt(entry, host, port)),
  );
  for (const entry of dropped)
    warn(`NO_PROXY: ${entry} is dropped, because it means a redirected host`);
  const kept = entries.filter((entry) => !dropped.includes(entry));
  const noProxy = [...new Set([...kept, ...LOOPBACK])].join(",");
  // Some clients read the names in upper case, some those in lower case, and curl reads `http_proxy` only.
  const both = { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: noProxy };
  const lower = Object.entries(both).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...both, ...Object.fromEntries(lower) };
}

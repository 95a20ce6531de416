import { isExempt, noProxyEntries, noProxyVariables, type Environment } from "./no-proxy.ts";

/**
 * The variables that name the proxy. NO_PROXY keeps its entries, and gains the addresses of this machine.
 * An entry that means a redirected host is dropped, because programs would call the real host.
 */
export function proxyVariables(
  url: string,
  hosts: readonly { readonly host: string; readonly port: number }[],
  env: Environment,
  warn: (problem: string) => void,
): Readonly<Record<string, string>> {
  const entries = noProxyEntries(env);
  const kept = entries.filter((entry) => {
    const isDropped = hosts.some(({ host, port }) => isExempt(entry, host, port));
    if (isDropped) warn(`NO_PROXY: ${entry} is dropped, because it means a redirected host`);
    return !isDropped;
  });
  // Some clients read the names in upper case, some those in lower case, and curl reads `http_proxy` only.
  const both = { HTTP_PROXY: url, HTTPS_PROXY: url };
  const lower = Object.entries(both).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...both, ...Object.fromEntries(lower), ...noProxyVariables(kept) };
}

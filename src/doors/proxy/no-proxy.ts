import { BlockList, isIP } from "node:net";
import { toHost } from "../redirect/host.ts";
import { UsageError } from "../../base/usage-error.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable, whose name may be in lower case. An empty value counts as unset. */
function variable(env: Environment, name: string): string | undefined {
  return env[name.toLowerCase()] || env[name] || undefined;
}

export function noProxyEntries(env: Environment): string[] {
  return (variable(env, "NO_PROXY") ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
}

const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

/** NO_PROXY in both spellings, with these entries and the addresses of this machine. */
export function noProxyVariables(entries: readonly string[]): Readonly<Record<string, string>> {
  // Most clients understand `*` only alone, not in a list.
  const all = entries.includes("*") ? "*" : [...new Set([...entries, ...LOOPBACK])].join(",");
  return { NO_PROXY: all, no_proxy: all };
}

/**
 * Whether an entry of NO_PROXY means a host, as most clients read it: a name means the host and those
 * below it, `*` every host, and an address may have the length of a prefix or, like a name, a port.
 */
export function isExempt(entry: string, host: string, port: number): boolean {
  if (entry === "*") return true;
  const [, subnet = "", bits] = /^(.+)\/(\d+)$/.exec(entry) ?? [];
  if (bits !== undefined) return isInSubnet(host, subnet, Number(bits));
  if (isIP(toHost(entry)) !== 0) return toHost(entry) === host;
  const [, name = "", only] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (only !== undefined && Number(only) !== port) return false;
  const own = toHost(name.replace(/^\*?\./, ""));
  return own !== "" && (host === own || host.endsWith(`.${own}`));
}

function isInSubnet(host: string, subnet: string, bits: number): boolean {
  const version = isIP(host);
  if (version === 0 || isIP(subnet) !== version || bits > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(subnet, bits, family);
  return list.check(host, family);
}

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
  // Some clients read the names in upper case, some in lower case, and curl reads only `http_proxy`.
  const both = { HTTP_PROXY: url, HTTPS_PROXY: url };
  const lower = Object.entries(both).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...both, ...Object.fromEntries(lower), ...noProxyVariables(kept) };
}

/** The proxies that the environment names, for calls to other hosts. */
export type EarlierProxies = ReturnType<typeof readEarlierProxies>;

/**
 * Reads HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, also in lower case.
 * @throws UsageError for a proxy of another kind than HTTP
 */
export function readEarlierProxies(env: Environment) {
  const exempt = noProxyEntries(env);
  const forAll = () => readProxy(env, "ALL_PROXY");
  const proxies = {
    http: readProxy(env, "HTTP_PROXY") ?? forAll(),
    https: readProxy(env, "HTTPS_PROXY") ?? forAll(),
  };
  return {
    /** The proxy for a connection; undefined if it goes out directly. */
    find(kind: "http" | "https", host: string, port: number): URL | undefined {
      return exempt.some((entry) => isExempt(entry, host, port)) ? undefined : proxies[kind];
    },
  };
}

function readProxy(env: Environment, name: string): URL | undefined {
  const text = variable(env, name);
  if (text === undefined) return undefined;
  const whole = /^[a-z][\da-z+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && hasReadableCredentials(url))
    return url;
  // The rest of the text may contain a password.
  const got = url === undefined || /^https?:$/.test(url.protocol) ? "other text" : url.protocol;
  throw new UsageError(
    `--as: ${name}: expected the URL of an HTTP proxy, like http://proxy.example:3128, got ${got}; unset ${name} for this command`,
  );
}

function hasReadableCredentials(url: URL): boolean {
  try {
    credentialsOf(url);
    return true;
  } catch {
    // A `%` without two digits after it.
    return false;
  }
}

/** Where a proxy listens, for `request` of node:http or node:https. */
export function addressOf({ hostname, port, protocol }: URL): { host: string; port: number } {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return { host, port: Number(port) || (protocol === "https:" ? 443 : 80) };
}

/** The header with the credentials in the URL of a proxy, as a list of name and value. */
export function credentialsOf({ password, username }: URL): string[] {
  if (username === "" && password === "") return [];
  return [
    "Proxy-Authorization",
    toBasic(decodeURIComponent(username), decodeURIComponent(password)),
  ];
}

export function toBasic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

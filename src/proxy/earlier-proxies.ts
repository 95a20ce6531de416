import { UsageError } from "../usage-error.ts";
import { isExempt, noProxyEntries, variable, type Environment } from "./no-proxy.ts";

/** The proxies that the environment names, by which calls to other hosts go on. */
export interface EarlierProxies {
  /** The proxy for a connection; undefined if it goes out directly. */
  find(kind: "http" | "https", host: string, port: number): URL | undefined;
}

/**
 * Reads HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, also in lower case.
 * @throws UsageError for a proxy of another kind than HTTP
 */
export function readEarlierProxies(env: Environment): EarlierProxies {
  const exempt = noProxyEntries(env);
  const forAll = () => readProxy(env, "ALL_PROXY");
  const proxies = {
    http: readProxy(env, "HTTP_PROXY") ?? forAll(),
    https: readProxy(env, "HTTPS_PROXY") ?? forAll(),
  };
  return {
    find(kind, host, port) {
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
    // A `%` has no two digits after it.
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

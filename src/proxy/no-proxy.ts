import { BlockList, isIP } from "node:net";
import { toHost } from "../redirect/origins.ts";

/** The entries of NO_PROXY, which commas or spaces separate. */
export function toEntries(noProxy: string): string[] {
  return noProxy.split(/[\s,]+/).filter((entry) => entry !== "");
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

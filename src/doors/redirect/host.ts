import { isIP } from "node:net";
import { domainToASCII } from "node:url";

/**
 * A host, as a program writes it, in the form that the resolver uses: lower case, full-width letters as
 * ASCII, an address in its usual form, no brackets, no dot at the end.
 */
export function toHost(name: string): string {
  // The resolver of Node.js 20 ignores everything after a NUL.
  const [text = ""] = name.replace(/^\[(.*)\]$/, "$1").split("\0");
  if (isIP(text) === 6) return toAddress(text);
  return (domainToASCII(text) || text.toLowerCase()).replace(/\.$/, "");
}

/** An IPv6 address in its usual form, without a zone; an IPv4 address if it stands for one. */
function toAddress(text: string): string {
  const address = new URL(`http://[${text.replace(/%.*$/, "")}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  return domainToASCII(`${Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16)}`);
}

import type { Emulator } from "../../emulator/emulator.ts";
import { type RunningServer, serve } from "../http/serve.ts";
import { type Origin, Redirects } from "../redirect/origins.ts";
import { makeCertificate } from "./authority.ts";
import { type EarlierProxies, proxyVariables } from "./no-proxy.ts";
import { ProxyServer } from "./proxy.ts";
import { writeTrustFiles } from "./trust.ts";

export interface RedirectedPrograms {
  readonly variables: Readonly<Record<string, string>>;
  readonly outcomes: RunningServer["outcomes"];
  /** Waits at most `grace` milliseconds for pending calls, closes everything, and removes the files. */
  close(options?: { readonly grace?: number }): Promise<void>;
}

export interface ProgramSettings {
  readonly origins: readonly Origin[];
  readonly earlier: EarlierProxies;
  /** The environment that the programs would have. Its settings stay. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly warn: (problem: string) => void;
}

/**
 * Redirects programs in any language that use a proxy if variables name one: starts a proxy, and writes
 * the files by which they trust it.
 * @throws UsageError if the files cannot be written
 */
export async function redirectPrograms(
  emulator: Emulator,
  { earlier, env, origins, warn }: ProgramSettings,
): Promise<RedirectedPrograms> {
  const hosts = [...new Set(origins.map(({ host }) => host))];
  const { authority, ...certificate } = await makeCertificate(hosts);
  const trust = writeTrustFiles(authority, env, warn);
  // A separate server, so that a call to a redirected host never reaches control routes, whatever its
  // `Host` header says.
  const server = await serve(emulator, { host: LOOPBACK, control: false });
  const redirects = new Redirects({ host: LOOPBACK, port: server.port }, origins);
  const proxy = new ProxyServer({ redirects, certificate, earlier, warn });
  const url = await proxy.listen();
  return {
    variables: { ...proxyVariables(url, origins, env, warn), ...trust.variables },
    outcomes: server.outcomes,
    async close(options) {
      await server.close(options);
      proxy.close();
      trust.remove();
    },
  };
}

const LOOPBACK = "127.0.0.1";

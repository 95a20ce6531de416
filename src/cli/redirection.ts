import { throwLines } from "../base/usage-error.ts";
import type { Emulator } from "../emulator/emulator.ts";
import { readEarlierProxies } from "../doors/proxy/no-proxy.ts";
import {
  EXPECTED_ORIGIN,
  type Origin,
  toOrigin,
  writtenOrigin,
} from "../doors/redirect/origins.ts";
import { preloadFlag, withFlag } from "../doors/redirect/node-options.ts";
import { requireFile } from "./require-file.ts";

/**
 * Prepares what `--as` asks for.
 * @throws UsageError for texts that are no origin of a service, for repeated origins, and for variables
 *   that name a proxy of another kind than HTTP
 */
export function redirect(texts: readonly string[], env: NodeJS.ProcessEnv) {
  const read = readOrigins(texts);
  const origins = read.map(({ text }) => text);
  const hosts = [...new Set(read.map(({ host }) => host))];
  const earlier = readEarlierProxies(env);
  const flag = preloadFlag(requireFile("dist/redirect.cjs", "--as"));
  return {
    origins,
    hosts,
    /**
     * Starts the proxy by which programs in other languages than Node's are redirected, and adds the
     * variables for Node. Existing settings of the environment, like other NODE_OPTIONS, stay.
     */
    async start(emulator: Emulator, url: string, warn: (problem: string) => void) {
      const { redirectPrograms } = await import("../doors/proxy/redirect-programs.ts");
      const programs = await redirectPrograms(emulator, { origins: read, earlier, env, warn });
      return {
        ...programs,
        variables: {
          LATCHKEY_URL: url,
          LATCHKEY_AS: origins.join(","),
          NODE_OPTIONS: withFlag(env["NODE_OPTIONS"], flag),
          ...programs.variables,
        },
      };
    },
  };
}

function readOrigins(texts: readonly string[]): Origin[] {
  const origins = texts.map(toOrigin);
  const lines = origins.flatMap((origin, index) => {
    const got = writtenOrigin(texts[index] ?? "");
    if (origin === undefined) return [`--as: ${EXPECTED_ORIGIN}, got ${got}`];
    const first = origins.findIndex((other) => other?.text === origin.text);
    return first < index ? [`--as: expected each origin once, got ${origin.text} again`] : [];
  });
  throwLines(lines);
  return origins.filter((origin) => origin !== undefined);
}

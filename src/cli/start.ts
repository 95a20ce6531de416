import { type RunningServer, serve } from "../doors/http/serve.ts";
import { serverOptions } from "../doors/http/server-options.ts";
import type { Emulator } from "../emulator/emulator.ts";
import { throwLines } from "../base/usage-error.ts";
import { startupInfo } from "./banner.ts";
import { openEmulator } from "./open-emulator.ts";
import { pick, seedingFlags, type StartOptions } from "./options/read-options.ts";
import { DEFAULT_GATEWAY_PORT, DEFAULT_PORT } from "./options/options.ts";
import { Report } from "./report.ts";

/**
 * Seeds an emulator, serves it over HTTP, and opens the web page if the options ask for it.
 * @throws UsageError for invalid options and fixtures, ListenError if it cannot listen on the address
 */
export async function start(options: StartOptions) {
  checkTogether(options);
  const doors = await readDoors(options);
  const report = new Report(options.log);
  for (const line of [...options.unused, ...(doors.plan?.warnings ?? [])]) report.write(line);
  const { emulator, follow, isLoaded } = await openEmulator(options, report);
  const { gateway, redirected, server } = await serveDoors(emulator, doors, options, report);
  const unfollow = await follow();
  const { publicUrl, state } = options;
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  const info = startupInfo(emulator, server, {
    gateway: gateway?.url,
    isControlTokenGiven: options.controlToken !== undefined,
    redirected: redirected && {
      origins: doors.redirection?.origins ?? [],
      variables: redirected.variables,
    },
    publicUrl: url && url.origin + url.pathname.replace(/\/+$/, ""),
    state:
      state === undefined ? undefined : { file: state, isLoaded, ignored: seedingFlags(options) },
  });
  if (options.open) void openPage(info.page);
  return {
    emulator,
    info,
    /**
     * Closes the server, waits at most `grace` milliseconds for pending requests, and saves the state.
     * Resolves to the exit code: 1 if the state could not be saved.
     * @param closing.isLast whether the process then ends, although a user's module would keep it alive.
     *   Default: true
     */
    async stop({ isLast = true, ...closing }: Closing = {}): Promise<number> {
      await Promise.all([gateway?.close(), server.close(closing), redirected?.close(closing)]);
      const isSaved = await unfollow();
      if (options.operations !== undefined && isLast) exitSoon();
      return isSaved ? 0 : 1;
    },
    findings: () => report.findings(),
    reportUnserved: () => report.reportUnserved(),
    reportCalls: () =>
      report.reportCalls(
        [server, redirected, gateway],
        doors.redirection?.hosts,
        gateway ? "LATCHKEY_GATEWAY_URL" : "LATCHKEY_URL",
      ),
  };
}

/** Reads what `--as` and `--gateway` ask for. Most runs have neither, so their code is loaded on demand. */
async function readDoors({ as, gateway }: StartOptions) {
  return {
    redirection: as && (await import("./redirection.ts")).redirect(as, process.env),
    plan:
      gateway === undefined
        ? undefined
        : await (await import("./gateway.ts")).readGateway(gateway, process.env),
  };
}

/** Opens the doors of an emulator: its server, the proxy of `--as`, and the gateway. */
async function serveDoors(
  emulator: Emulator,
  { plan, redirection }: Awaited<ReturnType<typeof readDoors>>,
  options: StartOptions,
  report: Report,
) {
  const server: RunningServer = await serve(emulator, {
    port: DEFAULT_PORT,
    ...pick(options, serverOptions),
    redirectedHosts: redirection?.hosts,
  });
  try {
    const redirected = await redirection?.start(emulator, server.url, report.write);
    const port =
      options.gatewayPort ?? (options.port === 0 ? 0 : (plan?.port ?? DEFAULT_GATEWAY_PORT));
    const gateway = await plan?.start(emulator, { port, host: options.host });
    emulator.gatewayUrl = gateway?.url;
    return { server, redirected, gateway };
  } catch (error) {
    await server.close({ grace: 0 });
    throw error;
  }
}

interface Closing {
  readonly grace?: number;
  readonly isLast?: boolean;
}

/** @throws UsageError for options that contradict each other */
function checkTogether(options: StartOptions): void {
  const { control, fixtures, gateway, gatewayPort, isolate, open, state, ui, watch } = options;
  const lines = [
    open &&
      (control === false || ui === false) &&
      `--open cannot be used with --no-${control === false ? "control" : "ui"}: there would be no page to open`,
    isolate &&
      state !== undefined &&
      "--isolate cannot be used with --state: isolated workspaces are not saved",
    watch && fixtures === undefined && "--watch needs --fixture",
    gateway === undefined &&
      gatewayPort !== undefined &&
      gatewayPort > 0 &&
      "--gateway-port needs --gateway",
    watch &&
      state !== undefined &&
      "--watch cannot be used with --state: a change of a fixture would overwrite the state",
  ];
  throwLines(lines.filter((line) => typeof line === "string"));
}

/** How long a stopped process may take to exit by itself, in milliseconds. */
const EXIT_AFTER = 500;

/** Ends the process although a timer or a connection of a user's module would keep it alive. */
export function exitSoon(): void {
  setTimeout(() => process.exit(), EXIT_AFTER).unref();
}

/**
 * Opens a URL in the default browser. Never rejects: without a browser nothing happens, and the banner
 * shows the URL.
 */
async function openPage(url: string): Promise<void> {
  try {
    // Imported here, because few starts open a page.
    const { default: open } = await import("open");
    const child = await open(url);
    child.on("error", () => {});
  } catch {
    // No program can open URLs, as in a container.
  }
}

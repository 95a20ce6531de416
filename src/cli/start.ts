import { createEmulator } from "../emulator/create-emulator.ts";
import { type Emulator } from "../emulator/emulator.ts";
import { sharedOptions } from "../emulator/shared-options.ts";
import { type RunningServer, serve } from "../doors/http/serve.ts";
import type { Fixture } from "../seed/format.ts";
import type { TokenGrant } from "../seed/check.ts";
import { serverOptions } from "../doors/http/server-options.ts";
import { pluralize, printable } from "../base/wording/text.ts";
import { type Log, type LogEntry, UnservedCalls } from "../service/log.ts";
import type { Finding } from "../world/findings/findings.ts";
import type { NeedsOptions } from "../world/journal/needed-permissions.ts";
import { throwLines, UsageError } from "../base/usage-error.ts";
import { startupInfo } from "./banner.ts";
import { seedingFlags, type StartOptions } from "./options/read-options.ts";
import { DEFAULT_GATEWAY_PORT, DEFAULT_PORT } from "./options/options.ts";
import { createLineWriter, createLog } from "./log-lines.ts";
import { readFixtureFiles } from "../seed/files.ts";
import { lock } from "./files/lock.ts";
import { keepState, readState } from "./files/state.ts";

/**
 * Seeds an emulator, serves it over HTTP, and opens the web page if the options ask for it.
 * @throws UsageError for invalid options and fixtures, ListenError if it cannot listen on the address
 */
export async function start(options: StartOptions) {
  checkTogether(options);
  // Most runs redirect nothing, so it is loaded on demand.
  const redirection =
    options.as && (await import("./redirection.ts")).redirect(options.as, process.env);
  const plan =
    options.gateway === undefined
      ? undefined
      : await (await import("./gateway.ts")).readGateway(options.gateway, process.env);
  const { log: style = "text" } = options;
  const writeLine = createLineWriter();
  const write = createLog(style, writeLine);
  const unserved = new UnservedCalls();
  const findings: Finding[] = [];
  const log: Log = Object.assign(
    (entry: LogEntry) => {
      unserved.count(entry);
      if (entry.kind === "finding" && findings.push(entry.finding) > MAX_FINDINGS) findings.shift();
      write(entry);
    },
    { ignoresSuccess: style === "silent" || style === "warn" },
  );
  let emulator: Emulator | undefined;
  const tell = (text: string, kind: "notice" | "warning" = "warning") => {
    const message = printable(emulator?.mask(text) ?? text);
    // Warnings are written even with `--log silent`, because they point to likely mistakes.
    if (style !== "silent") log({ kind, message });
    else if (kind === "warning") writeLine(`latchkey: ${message}`);
  };
  const { fixtures: files = [], generate, explicitSeeding, state, unused, watch } = options;
  for (const line of [...unused, ...(plan?.notes ?? [])]) tell(line);
  const read = state === undefined ? undefined : await readState(state);
  const unlock = state === undefined ? undefined : await lock(state);
  const saved = read?.fixture;
  if (saved !== undefined && options.tokens !== undefined) checkNothingLost(saved, options.tokens);
  if (saved !== undefined && explicitSeeding.length > 0) {
    tell(
      `--state: ${state} exists, so ${explicitSeeding.join(" and ")} is ignored; remove ${state} to start anew`,
    );
  }
  const fixtures = saved || files.length === 0 ? undefined : await readFixtureFiles(files);
  const load = async (modules: readonly string[]) =>
    (await import("./files/load-operations.ts")).loadOperations(modules);
  const operations = options.operations && (await load(options.operations));
  emulator = await createEmulator({
    ...pick(options, sharedOptions),
    fixtures: saved === undefined ? fixtures : [saved],
    generate: saved === undefined ? generate : undefined,
    tokens: options.tokens,
    operations,
    log,
  });
  const publicUrl = options.publicUrl === undefined ? undefined : new URL(options.publicUrl);
  const server = await serve(emulator, {
    port: DEFAULT_PORT,
    ...pick(options, serverOptions),
    redirectedHosts: redirection?.hosts,
  });
  const closeServer = async (error: unknown) => {
    await server.close({ grace: 0 });
    throw error;
  };
  const redirected = await redirection?.start(emulator, server.url, tell).catch(closeServer);
  const gateway = await plan
    ?.start(emulator, {
      port: options.gatewayPort ?? (options.port === 0 ? 0 : (plan.port ?? DEFAULT_GATEWAY_PORT)),
      host: options.host,
    })
    .catch(closeServer);
  emulator.gatewayUrl = gateway?.url;
  const stopWatching = watch
    ? (await import("./files/watch.ts")).watchFixtures(files, fixtures ?? [], emulator, tell)
    : undefined;
  const stopKeeping = state && read ? keepState(state, read, emulator, tell) : undefined;
  const info = startupInfo(emulator, server, {
    gateway: gateway?.url,
    isControlTokenGiven: options.controlToken !== undefined,
    redirected: redirection &&
      redirected && { origins: redirection.origins, variables: redirected.variables },
    publicUrl: publicUrl && publicUrl.origin + publicUrl.pathname.replace(/\/+$/, ""),
    state:
      state === undefined
        ? undefined
        : { file: state, isLoaded: saved !== undefined, ignored: seedingFlags(options) },
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
      stopWatching?.();
      await Promise.all([gateway?.close(), server.close(closing), redirected?.close(closing)]);
      const isSaved = (await stopKeeping?.()) ?? true;
      unlock?.();
      if (operations !== undefined && isLast) exitSoon();
      return isSaved ? 0 : 1;
    },
    /** Also findings that a reset forgot. A cleared finding has no requests any more. */
    findings: () => findings.filter(({ requests }) => requests.length > 0),
    neededPermissions: (needs: NeedsOptions) => emulator.neededPermissions({ ...needs, all: true }),
    /** Prints which calls no operation answered. */
    tellUnserved() {
      const summary = unserved.summary();
      if (summary === undefined || style === "silent") return;
      tell(summary.head);
      for (const call of summary.calls) tell(`  ${call}`);
    },
    /** Prints how many calls came, and how they ended, or that none came. */
    tellCalls() {
      if (style === "silent") return;
      const line = callsLine(redirected ? [server, redirected] : [server]);
      if (line === undefined) tell(noCallLine(redirection?.hosts));
      // A log of warnings has no notices.
      else if (style === "warn") writeLine(`latchkey: ${line}`);
      else tell(line, "notice");
    },
  };
}

interface Closing {
  readonly grace?: number;
  readonly isLast?: boolean;
}

function pick<Name extends keyof StartOptions>(
  options: StartOptions,
  table: Readonly<Record<Name, unknown>>,
): Pick<StartOptions, Name> {
  const named = Object.entries(options).filter(([name]) => Object.hasOwn(table, name));
  return Object.fromEntries(named) as Pick<StartOptions, Name>;
}

/** Only the newest findings are kept, because a process may run for days with any number of resets. */
const MAX_FINDINGS = 1_000;

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

/**
 * Refuses `--token` options without a token of the state. Only accepted tokens are saved, so the file
 * would lose the others.
 * @throws UsageError for tokens of the state that are not among the grants
 */
function checkNothingLost(saved: Fixture, grants: readonly TokenGrant[]): void {
  const granted = new Set(grants.map(({ token }) => token));
  const lost = [saved, ...(saved.workspaces ?? [])]
    .flatMap(({ tokens = [] }) => tokens)
    .filter(({ token }) => !granted.has(token));
  if (lost.length === 0) return;
  throw new UsageError(
    "--token: expected every token of the saved state, because the next save would lose the others",
  );
}

/** Like `9 calls came: 7 × 200, 2 × 400`; undefined if none came. */
function callsLine(servers: readonly Pick<RunningServer, "outcomes">[]): string | undefined {
  const counts = new Map<string, number>();
  for (const [outcome, count] of servers.flatMap(({ outcomes }) => [...outcomes]))
    counts.set(String(outcome), (counts.get(String(outcome)) ?? 0) + count);
  if (counts.size === 0) return undefined;
  const sorted = [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  const texts = sorted.map(([outcome, count]) => `${count} × ${outcome}`);
  return `${pluralize(total, "call")} came: ${texts.join(", ")}`;
}

/** The line if no call came. With `--as`, calls to these hosts were expected. */
function noCallLine(hosts: readonly string[] | undefined): string {
  return hosts === undefined
    ? `no call came: the program does not call LATCHKEY_URL, or it does not get that variable (${DROPPED}), so its calls may have gone to the real service; see docs/troubleshooting.md`
    : `no call came for ${hosts.join(" or ")}: the program calls no such host, or it does not get the variables that redirect it (${DROPPED}), or it takes no proxy from them, so its calls may have gone to the real service; see docs/unchanged-programs.md`;
}

const DROPPED = "Turborepo's strict mode, tox, Bazel and sudo drop variables";

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

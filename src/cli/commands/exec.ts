import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { pluralize, printable } from "../../base/wording/text.ts";
import { throwLines } from "../../base/usage-error.ts";
import { type Finding, findingLine } from "../../world/findings/findings.ts";
import { mergeOptions, readFlags } from "../options/read-options.ts";
import { untilNpmShellEnds } from "../npm-shell.ts";
import { ownExecOptions, testDefaults } from "../options/options.ts";
import { start } from "../start.ts";
import type { TokenNeeds } from "../../world/journal/needed-permissions.ts";

/**
 * Starts an emulator, runs a command against it, and stops it when the command has ended.
 * @returns the exit code of the command; or, if that is 0, 1 if the state could not be saved or
 *   `--fail-on findings` found a mistake
 * @throws UsageError for invalid options and fixtures
 */
export async function runExec(
  flags: Readonly<Record<string, unknown>>,
  command: readonly string[],
): Promise<number> {
  const [program = "", ...args] = command;
  // exec uses a free port, and `PORT` is meant for the command.
  const environment = { ...process.env, PORT: undefined, LATCHKEY_PORT: undefined };
  const own = readFlags(flags, ownExecOptions);
  throwLines(own.lines);
  const options = await mergeOptions(flags, environment, testDefaults);
  // Imported here, because other commands share a file of the bundle with this one.
  const { default: spawn } = await import("cross-spawn");
  const started = await start({ ...options, port: 0 });
  const { info, stop } = started;
  let child: ChildProcess | undefined;
  let code: number;
  try {
    child = spawn(program, args, { stdio: "inherit", env: environmentOf(info) });
    code = await untilEnded(child, program);
  } catch (error) {
    // `spawn` throws some failures instead of emitting them as an event.
    code = reportFailure(program, error as NodeJS.ErrnoException);
  }
  const unsaved = await stop({ grace: 0 });
  started.tellUnserved();
  const { failOn, permissions } = own.options;
  if (permissions !== undefined) {
    const needs = started.neededPermissions({ anyApi: permissions === "any-api" });
    tell(needsReport(needs));
  }
  const failed = failOn === "findings" ? tellFindings(started.findings()) : 0;
  // A command that could not be started cannot have called.
  if (child?.pid !== undefined) started.tellCalls();
  return code || unsaved || failed;
}

/** The environment of a command that calls the emulator. */
export function environmentOf({ programEnv }: { readonly programEnv: NodeJS.ProcessEnv }) {
  return {
    ...process.env,
    // Undefined removes the control token of another emulator.
    LATCHKEY_CONTROL_TOKEN: undefined,
    // Otherwise an emulator that the command starts would think that its parent is npm's shell (see
    // `npm-shell.ts`).
    npm_lifecycle_script: undefined,
    ...programEnv,
  };
}

function tellFindings(findings: readonly Finding[]): number {
  if (findings.length === 0) return 0;
  const lines = findings.map((finding) => `  ${findingLine(finding)}`);
  const head = `found ${pluralize(findings.length, "mistake")} in how the program calls the service:`;
  tell([head, ...lines]);
  return 1;
}

function tell(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`latchkey: ${printable(line)}\n`);
}

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** Resolves to the exit code as in a shell: 127 for a missing program, 128 + n for signal n. */
function untilEnded(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve) => {
    const forward = toForward(child);
    const finish = (code: number) => {
      for (const signal of FORWARDED) process.off(signal, forward);
      resolve(code);
    };
    for (const signal of FORWARDED) process.on(signal, forward);
    void untilNpmShellEnds().then(() => child.kill());
    child.on("error", (error: NodeJS.ErrnoException) => {
      // With a pid, the command still runs, and only a signal could not be sent.
      if (child.pid === undefined) finish(reportFailure(program, error));
      else tell([`exec: ${program}: ${error.message}`]);
    });
    child.once("close", (code, signal) => {
      finish(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

function toForward(child: ChildProcess): (signal: NodeJS.Signals) => void {
  // Not `process.stdin.isTTY`, which opens stdin. Only the command may read stdin.
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const seen = new Set<NodeJS.Signals>();
  return (signal) => {
    // A terminal sends Ctrl-C and Ctrl-\ to the command itself, so the first one is not forwarded. The
    // second one is forwarded, because the first may have come from another process.
    const isFromTerminal = hasTerminal && (signal === "SIGINT" || signal === "SIGQUIT");
    if (!isFromTerminal || seen.has(signal)) child.kill(signal);
    seen.add(signal);
  };
}

function reportFailure(program: string, error: NodeJS.ErrnoException): number {
  const [code] = failures.get(error.code ?? "") ?? [126];
  tell([`exec: ${program}: ${reasonOf(error)}`]);
  return code;
}

/** Why a command could not be started. */
export function reasonOf({ code = "", message }: NodeJS.ErrnoException): string {
  return failures.get(code)?.[1] ?? message;
}

const failures: ReadonlyMap<string, readonly [code: number, reason: string]> = new Map([
  ["ENOENT", [127, "there is no such command"]],
  ["ENOTDIR", [127, "there is no such command"]],
  ["EACCES", [126, "permission denied"]],
]);

/** The permissions that a run needed, in lines: as a list to copy, and as a line of a fixture. */
export function needsReport(needs: readonly TokenNeeds[]): readonly string[] {
  if (needs.length === 0) return ["permissions: no call demanded any"];
  return needs.flatMap(({ permissions, refused, token, unused, urns }) => [
    `permissions: ${token} needs ${permissions.length === 0 ? "none" : pluralize(permissions.length, "permission")}`,
    ...permissions.map((name) => `  ${name}`),
    ...(permissions.length === 0
      ? []
      : [
          `  in a fixture: { token: …, permissions: ${inYaml(permissions)} }`,
          `  the same as URNs: { token: …, permissions: ${inYaml(urns)} }`,
        ]),
    ...(unused.length === 0 ? [] : [`  ${unusedLine(unused)}`]),
    ...refused.map(
      ({ calls, operation, permission }) =>
        `  it lacks ${permission}: ${operation} was refused ${calls === 1 ? "once" : `${calls} times`}`,
    ),
  ]);
}

function unusedLine(unused: readonly string[]): string {
  return unused.includes("*")
    ? "it has *, which is more than it needs"
    : `it has, and never needed: ${unused.join(", ")}`;
}

/** Quotes each name, because YAML reads `*` as an alias. */
function inYaml(names: readonly string[]): string {
  return `[${names.map((name) => JSON.stringify(name)).join(", ")}]`;
}

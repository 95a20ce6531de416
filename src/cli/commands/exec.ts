import type { ChildProcess } from "node:child_process";
import { pluralize } from "../../base/wording/text.ts";
import { throwLines } from "../../base/usage-error.ts";
import { type Finding, findingLine } from "../../world/findings/findings.ts";
import { mergeOptions, readFlags } from "../options/read-options.ts";
import { ownExecOptions, testDefaults } from "../options/options.ts";
import { environmentOf, reportFailure, report, untilEnded } from "../program.ts";
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
  // Loaded on demand, because other commands share a file of the bundle with this one.
  const { default: spawn } = await import("cross-spawn");
  const started = await start({ ...options, port: 0 });
  const { emulator, info, stop } = started;
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
  started.reportUnserved();
  const { failOn, permissions } = own.options;
  if (permissions !== undefined) {
    const anyApi = permissions === "any-api";
    report(needsReport(emulator.neededPermissions({ all: true, anyApi })));
  }
  const failed = failOn === "findings" ? tellFindings(started.findings()) : 0;
  // A command that could not be started made no calls.
  if (child?.pid !== undefined) started.reportCalls();
  return code || unsaved || failed;
}

function tellFindings(findings: readonly Finding[]): number {
  if (findings.length === 0) return 0;
  const lines = findings.map((finding) => `  ${findingLine(finding)}`);
  const head = `found ${pluralize(findings.length, "mistake")} in how the program calls the service:`;
  report([head, ...lines]);
  return 1;
}

/** The permissions that a run needed, in lines: as a list to copy, and as a line of a fixture. */
export function needsReport(needs: readonly TokenNeeds[]): readonly string[] {
  if (needs.length === 0) return ["permissions: no call needed any"];
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

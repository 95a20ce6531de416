import { pluralize, printable } from "../base/wording/text.ts";
import type { Emulator } from "../emulator/emulator.ts";
import { type Log, type LogEntry, UnservedCalls } from "../service/log.ts";
import type { Finding } from "../world/findings/findings.ts";
import type { RunningServer } from "../doors/http/serve.ts";
import { createLineWriter, createLog, type LogStyle } from "./log-lines.ts";

/** Only the newest findings are kept, because a process may run for days with any number of resets. */
const MAX_FINDINGS = 1_000;

/** Reports about the emulator that a command runs, on stderr. */
export class Report {
  readonly #style: LogStyle;
  readonly #writeLine = createLineWriter();
  readonly #unserved = new UnservedCalls();
  readonly #findings: Finding[] = [];
  readonly log: Log;
  /** Its secrets are masked in all later reports. */
  emulator: Emulator | undefined;

  constructor(style: LogStyle = "text") {
    this.#style = style;
    const write = createLog(style, this.#writeLine);
    const log = (entry: LogEntry) => {
      this.#unserved.count(entry);
      if (entry.kind === "finding" && this.#findings.push(entry.finding) > MAX_FINDINGS) {
        this.#findings.shift();
      }
      write(entry);
    };
    this.log = Object.assign(log, { ignoresSuccess: style === "silent" || style === "warn" });
  }

  /** Logs a notice or a warning. */
  readonly write = (text: string, kind: "notice" | "warning" = "warning"): void => {
    const message = printable(this.emulator?.mask(text) ?? text);
    // Warnings are written even with `--log silent`, because they point to likely mistakes.
    if (this.#style !== "silent") this.log({ kind, message });
    else if (kind === "warning") this.#writeLine(`latchkey: ${message}`);
  };

  /** Also findings that a reset forgot. A cleared finding has no requests any more. */
  findings(): Finding[] {
    return this.#findings.filter(({ requests }) => requests.length > 0);
  }

  /** Prints which calls no operation answered. */
  reportUnserved(): void {
    const summary = this.#unserved.summary();
    if (summary === undefined || this.#style === "silent") return;
    this.write(summary.head);
    for (const call of summary.calls) this.write(`  ${call}`);
  }

  /**
   * Prints how many calls came, and how they ended, or that none came.
   * @param hosts with `--as`, the hosts whose calls were expected
   * @param variable has the URL that calls were expected at
   */
  reportCalls(
    servers: readonly (Pick<RunningServer, "outcomes"> | undefined)[],
    hosts: readonly string[] | undefined,
    variable: string,
  ): void {
    if (this.#style === "silent") return;
    const line = callsLine(servers);
    if (line === undefined) this.write(noCallLine(hosts, variable));
    // A log of warnings has no notices.
    else if (this.#style === "warn") this.#writeLine(`latchkey: ${line}`);
    else this.write(line, "notice");
  }
}

/** Like `9 calls came: 7 × 200, 2 × 400`; undefined if none came. */
function callsLine(servers: Parameters<Report["reportCalls"]>[0]): string | undefined {
  const counts = new Map<string, number>();
  for (const [outcome, count] of servers.flatMap((server) => [...(server?.outcomes ?? [])]))
    counts.set(String(outcome), (counts.get(String(outcome)) ?? 0) + count);
  if (counts.size === 0) return undefined;
  const sorted = [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  const texts = sorted.map(([outcome, count]) => `${count} × ${outcome}`);
  return `${pluralize(total, "call")} came: ${texts.join(", ")}`;
}

/** The line if no call came. With `--as`, calls to these hosts were expected. */
function noCallLine(hosts: readonly string[] | undefined, variable: string): string {
  return hosts === undefined
    ? `no call came: the program does not call ${variable}, or it does not get that variable (${DROPPED}), so its calls may have gone to the real service; see docs/troubleshooting.md`
    : `no call came for ${hosts.join(" or ")}: the program calls no such host, or it does not get the variables that redirect it (${DROPPED}), or it takes no proxy from them, so its calls may have gone to the real service; see docs/unchanged-programs.md`;
}

const DROPPED = "Turborepo's strict mode, tox, Bazel and sudo drop variables";

import { printable, printableJson } from "../base/wording/text.ts";
import {
  createWarningLog,
  type Log,
  type LogEntry,
  printableStack,
  stackOf,
} from "../service/log.ts";
import type { ServeOptions } from "./options/options.ts";

type Write = (line: string) => void;

export type LogStyle = NonNullable<ServeOptions["log"]>;

export function createLog(style: LogStyle, write: Write): Log {
  switch (style) {
    case "json":
      return (entry) => write(printableJson(toMembers(entry)));
    case "text": {
      const time = createClockTime();
      return (entry) => write(toLogLine(entry, time));
    }
    case "warn":
      // The output of a command or of tests is between these lines, so each begins with "latchkey:".
      return createWarningLog(
        (message) => write(`latchkey: warning: ${printable(message)}`),
        (bug) => write(`latchkey: ${toLogLine(bug)}`),
      );
    case "silent":
      // A bug is always logged: the client got a 500 that does not say what happened.
      return (entry) => {
        if (entry.kind === "bug") write(toLogLine(entry));
      };
  }
}

function toLogLine(entry: LogEntry, clockTime = createClockTime()): string {
  switch (entry.kind) {
    case "notice":
      return printable(entry.message);
    case "warning":
    case "finding":
      return printable(`warning: ${entry.message}`);
    case "bug": {
      const place = entry.operation === undefined ? "" : ` in ${entry.operation}`;
      if (entry.isOwn)
        return `a mistake${place}, an operation of yours: ${printableStack(entry.error)}`;
      return `a bug of latchkey${place}, please report it: ${printableStack(entry.error)}`;
    }
    case "request": {
      const { method, path, status, duration, code, type, message, hint, faults } = entry;
      const verified = entry.verifiedAs === undefined ? "" : ` ${entry.verifiedAs}`;
      const begin = `${clockTime()} ${method} ${path} ${status ?? "-"} ${duration.toFixed(1)} ms${verified}`;
      // The fast case, for nearly every line.
      if (message === undefined && hint === undefined && faults.length === 0) return begin;
      const label = code ?? type;
      const refusal = message === undefined ? [] : [...(label ? [label] : []), `(${message})`];
      const note = hint === undefined ? [] : [`hint: ${hint}`];
      const applied = faults.length === 0 ? [] : [`fault: ${faults.join(", ")}`];
      return printable([begin, ...refusal, ...applied, ...note].join(" "));
    }
  }
}

function toMembers(entry: LogEntry): object {
  const time = new Date().toISOString();
  if (entry.kind === "bug") return { time, ...entry, error: stackOf(entry.error) };
  return { time, ...entry };
}

/**
 * `12:34:56`, formatted once a second, because formatting is slow. Not with `toTimeString`, which also
 * loads the names of time zones.
 */
function createClockTime(): () => string {
  let second = Number.NaN;
  let text = "";
  return () => {
    const now = Math.floor(Date.now() / 1_000);
    if (now !== second) text = toClockTime(new Date(now * 1_000));
    second = now;
    return text;
  };
}

function toClockTime(time: Date): string {
  const parts = [time.getHours(), time.getMinutes(), time.getSeconds()];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/**
 * Collects the lines of one turn of the event loop and writes them together after the replies of that
 * turn, because a write per line is slow.
 */
export function createLineWriter(): (line: string) => void {
  let text = "";
  const flush = () => {
    if (text === "") return;
    const lines = text;
    text = "";
    // Removed, because a sweep starts many emulators in one process.
    process.off("exit", flush);
    process.stderr.write(lines);
  };
  return (line) => {
    if (text === "") {
      setImmediate(flush);
      // When the process exits, `setImmediate` does not run any more.
      process.once("exit", flush);
    }
    text += `${line}\n`;
  };
}

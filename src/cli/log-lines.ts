import type { Log, LogEntry } from "../emulator/log.ts";

type Write = (line: string) => void;

export type LogStyle = "silent" | "text" | "json";

/** A log that writes a line for each entry, in the way that `--log` names. */
export function createLog(style: LogStyle, write: Write): Log {
  switch (style) {
    case "json":
      return (entry) => write(JSON.stringify(toMembers(entry)));
    case "text":
      return (entry) => write(toText(entry));
    case "silent":
      // A bug is never silent: the client was told that something happened, not what.
      return (entry) => {
        if (entry.kind === "bug") write(toText(entry));
      };
  }
}

function toText(entry: LogEntry): string {
  switch (entry.kind) {
    case "notice":
      return entry.message;
    case "warning":
      return `warning: ${entry.message}`;
    case "bug":
      return `a bug of latchkey, please report it: ${stackOf(entry.error)}`;
    case "request": {
      const { method, path, status, duration, code, message, hint, faults } = entry;
      const refusal = message === undefined ? [] : [...(code ? [code] : []), `(${message})`];
      const note = hint === undefined ? [] : [`hint: ${hint}`];
      const struck = faults.length === 0 ? [] : [`fault: ${faults.join(", ")}`];
      return [
        clockTime(),
        method,
        path,
        status ?? "-",
        `${duration.toFixed(1)} ms`,
        ...refusal,
        ...struck,
        ...note,
      ].join(" ");
    }
  }
}

function toMembers(entry: LogEntry): object {
  const time = new Date().toISOString();
  if (entry.kind === "bug") return { time, ...entry, error: stackOf(entry.error) };
  return { time, ...entry };
}

function clockTime(): string {
  return new Date().toTimeString().slice(0, 8);
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by: ${stackOf(error.cause)}`;
  return (error.stack ?? error.message) + cause;
}

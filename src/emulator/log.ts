/** What happened to one request. It holds no token, no key value and no query. */
export interface RequestEntry {
  readonly kind: "request";
  readonly method: string;
  /** Cut and masked: a client may put anything into a path. */
  readonly path: string;
  /** `<group>.<operation>`, where the path leads to one. */
  readonly operation: string | undefined;
  /** Undefined where a fault let there be no reply. */
  readonly status: number | undefined;
  /** Empty for a control route, which draws none. */
  readonly requestId: string;
  /** Milliseconds. */
  readonly duration: number;
  /** The error's code and message, for a refusal. */
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly hint: string | undefined;
  /** What each fault was that struck it, like `fault_1 (drop after)`. */
  readonly faults: readonly string[];
}

/** Something that works, but is likely not what its author meant. */
export interface WarningEntry {
  readonly kind: "warning";
  readonly message: string;
}

/** Something that a person at the terminal waits to hear. */
export interface NoticeEntry {
  readonly kind: "notice";
  readonly message: string;
}

/** A bug, of the emulator or of a user's operation; the client was told INTERNAL_SERVER_ERROR. */
export interface BugEntry {
  readonly kind: "bug";
  readonly error: unknown;
  /** The operation that was under way; it may be a user's own. */
  readonly operation: string | undefined;
}

export type LogEntry = RequestEntry | WarningEntry | NoticeEntry | BugEntry;
export type Log = (entry: LogEntry) => void;

/** A log that fails must not take an answer with it. */
export function guardLog(log: Log): Log {
  return (entry) => {
    try {
      log(entry);
    } catch (error) {
      consoleLog({ kind: "warning", message: `the log failed: ${String(error)}` });
    }
  };
}

/** Warnings and bugs to the console, requests nowhere: the default in a test or a browser. */
export const consoleLog: Log = (entry) => {
  /* oxlint-disable no-console -- the one place outside the command line that speaks for itself */
  if (entry.kind === "warning") console.warn(`[latchkey] ${entry.message}`);
  if (entry.kind === "bug")
    console.error(`[latchkey] a bug in ${entry.operation ?? "the emulator"}:`, entry.error);
  /* oxlint-enable no-console */
};

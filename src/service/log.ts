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
      warn(`the log failed: ${String(error)}`);
    }
  };
}

/** Clients choose the paths that they ask for, so only so many are told. */
const MAX_PATHS = 100;

/**
 * Makes a log that hands on bugs as they are, and as text what a person is to read of other
 * entries: warnings, and requests for operations that are not served, once for each path.
 */
export function createWarningLog(
  warn: (message: string) => void,
  tellBug: (bug: BugEntry) => void,
): Log {
  const told = new Set<string>();
  return (entry) => {
    if (entry.kind === "warning") warn(entry.message);
    if (entry.kind === "bug") tellBug(entry);
    if (entry.kind !== "request" || !isUnserved(entry)) return;
    if (told.has(entry.path) || told.size > MAX_PATHS) return;
    told.add(entry.path);
    const isLast = told.size > MAX_PATHS;
    warn(isLast ? "further paths that are not served are not told" : unservedLine(entry));
  };
}

/** A control route draws no request id, and its caller reads the answer. */
function isUnserved({ operation, requestId, status }: RequestEntry): boolean {
  return operation === undefined && status === 404 && requestId !== "";
}

function unservedLine({
  hint,
  message = "no operation is served there",
  method,
  path,
}: RequestEntry): string {
  const rest = hint === undefined || message.includes(hint) ? "" : `; ${hint}`;
  return `${method} ${path}: ${message}${rest}`;
}

/** The default in a test or a browser: warnings and bugs go to the console, requests nowhere. */
export function createConsoleLog(): Log {
  return createWarningLog(warn, ({ error, operation = "the emulator" }) => {
    // oxlint-disable-next-line no-console -- there is nothing else to write to here
    console.error(`[latchkey] a bug in ${operation}:`, error);
  });
}

function warn(message: string): void {
  // oxlint-disable-next-line no-console -- there is nothing else to write to here
  console.warn(`[latchkey] ${message}`);
}

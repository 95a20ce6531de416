import type { Finding } from "../../findings/finding.ts";
import type { Mask } from "../../base/wording/mask.ts";
import { printable } from "../../base/wording/printable.ts";
import { thrownText } from "../../base/thrown.ts";
import { printableStack, toBug } from "./bug.ts";

/** One request and its outcome. It contains no token, no key value and no query. */
export interface RequestEntry {
  readonly kind: "request";
  readonly method: string;
  /** Shortened and masked, because a client may put anything into a path. */
  readonly path: string;
  /** Like `keys.createKey`; undefined if no operation has the path. */
  readonly operation: string | undefined;
  /** Undefined if a fault prevented the reply. */
  readonly status: number | undefined;
  /** Empty for a control route, which has no request id. */
  readonly requestId: string;
  /** How long the request took, in milliseconds. */
  readonly duration: number;
  /** The code and message of an error reply. */
  readonly code: string | undefined;
  /** The type of the problem in an error reply of v2, which has no code. */
  readonly type: string | undefined;
  /** The code of a verification, like `RATE_LIMITED`; undefined for other replies. */
  readonly verifiedAs: string | undefined;
  readonly message: string | undefined;
  /** The hint of an error reply, as in the header `X-Latchkey-Hint`. */
  readonly hint: string | undefined;
  /** The faults that hit the request, each like `fault_1 (drop after)`. */
  readonly faults: readonly string[];
}

/** Something that works, but is probably a mistake. */
export interface WarningEntry {
  readonly kind: "warning";
  readonly message: string;
}

/** A mistake of a client that is certain. A finding is told once, and grows while the mistake goes on. */
export interface FindingEntry {
  readonly kind: "finding";
  /** The finding in one line, as it was when it was found. */
  readonly message: string;
  readonly finding: Finding;
}

/** Progress information for a person at the terminal. */
export interface NoticeEntry {
  readonly kind: "notice";
  readonly message: string;
}

/** An unexpected exception; the client got a 500 with the code INTERNAL_SERVER_ERROR. */
export interface BugEntry {
  readonly kind: "bug";
  /**
   * A copy of what was thrown, without secrets: only its name, message, stack and causes. If it is no
   * Error, the message describes it.
   */
  readonly error: Error;
  /** The operation that threw it; undefined if none ran. */
  readonly operation: string | undefined;
  /** Whether the operation was made with `defineOperation`: then the bug is probably there. */
  readonly isOwn: boolean;
}

/** The argument of a log. `kind` says which entry it is. */
export type LogEntry = RequestEntry | WarningEntry | FindingEntry | NoticeEntry | BugEntry;
export type Log = (entry: LogEntry) => void;

/**
 * Wraps a log, so that it gets no secrets, and so that an exception in it does not fail the request. The
 * entries of requests are masked where they are made, because the token that was sent is known there.
 */
export function guardLog(log: Log, mask: Mask): Log {
  const fail = (error: unknown) => {
    try {
      warn(mask(`the log failed: ${thrownText(error)}`));
    } catch {
      // A test may have made the console throw.
    }
  };
  return (entry) => {
    try {
      const result: unknown = log(entry.kind === "request" ? entry : withoutSecrets(entry, mask));
      // Without a handler, the rejection of an asynchronous log would end the process.
      if (result !== undefined) Promise.resolve(result).catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}

function withoutSecrets(entry: Exclude<LogEntry, RequestEntry>, mask: Mask): LogEntry {
  return entry.kind === "bug"
    ? { ...entry, error: toBug(entry.error, mask) }
    : { ...entry, message: printable(mask(entry.message)) };
}

/** Limits the memory and the output, because clients may send any number of unknown paths. */
export const MAX_PATHS = 100;

/**
 * Makes a log that reports bugs, warnings, findings, requests for paths that are not served (each path
 * once), and refusals with a hint (once for each operation and text). It ignores everything else.
 */
export function createWarningLog(
  warn: (message: string) => void,
  reportBug: (bug: BugEntry) => void,
): Log {
  const reportedPaths = new Set<string>();
  const reportedHints = new Set<string>();
  return (entry) => {
    if (entry.kind === "warning" || entry.kind === "finding") warn(entry.message);
    if (entry.kind === "bug") reportBug(entry);
    if (entry.kind !== "request" || entry.status === 200) return;
    if (!isUnserved(entry)) return warnOfHint(entry, reportedHints, warn);
    if (reportedPaths.has(entry.path) || reportedPaths.size > MAX_PATHS) return;
    reportedPaths.add(entry.path);
    const isLast = reportedPaths.size > MAX_PATHS;
    warn(isLast ? "further paths that are not served are no longer reported" : unservedLine(entry));
  };
}

function warnOfHint(
  entry: RequestEntry,
  reported: Set<string>,
  warn: (message: string) => void,
): void {
  const { hint, method, operation, path, status } = entry;
  if (hint === undefined || operation === undefined || ECHO.test(hint)) return;
  // Two hints that differ only in what was sent say the same.
  const text = `${operation} ${hint.replaceAll(/"[^"]*"/g, '""')}`;
  if (reported.has(text) || reported.size >= MAX_HINTS) return;
  reported.add(text);
  const label = entry.code ?? entry.type ?? "";
  warn(`${method} ${path} was refused with ${status ?? "no reply"} ${label}: ${hint}`);
}

/** Limits the output: a long run may have any number of refusals. */
const MAX_HINTS = 100;
/** A hint that only repeats what was sent, like an id that no record has. */
const ECHO = /^no [\w ]+ has (?:.*"[^"]*"|this value)$/;

/**
 * Whether no operation answered the call. Control routes, which have no request id, are left out,
 * because their callers see the 404 themselves.
 */
export function isUnserved({ operation, requestId, status }: RequestEntry): boolean {
  return operation === undefined && status === 404 && requestId !== "";
}

function unservedLine({
  hint,
  message = "no operation is served there",
  method,
  path,
}: RequestEntry): string {
  const suffix = hint === undefined || message.includes(hint) ? "" : `; ${hint}`;
  return `${method} ${path}: ${message}${suffix}`;
}

/** The default log in a test or a browser. It writes the reports of `createWarningLog` to the console. */
export function createConsoleLog(): Log {
  return createWarningLog(warn, ({ error, operation = "the emulator" }) => {
    // oxlint-disable-next-line no-console -- there is nothing else to write to here
    console.error(`[latchkey] a bug in ${operation}: ${printableStack(error)}`);
  });
}

function warn(message: string): void {
  // oxlint-disable-next-line no-console -- there is nothing else to write to here
  console.warn(`[latchkey] ${printable(message)}`);
}

import type { Finding } from "../world/findings/findings.ts";
import { type Mask, maskJson } from "../base/wording/mask.ts";
import { pluralize, printable, shorten } from "../base/wording/text.ts";
import { isError, thrownText, toShowable } from "../base/realm.ts";

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
  /** The hint of a reply, as in the header `X-Latchkey-Hint`. */
  readonly hint: string | undefined;
  /** True if the hint only repeats what was sent or answered, for example that a key has expired. */
  readonly isEcho: true | undefined;
  /** The faults that hit the request, each like `fault_1 (drop after)`. */
  readonly faults: readonly string[];
}

/** Something that works, but is probably a mistake. */
export interface WarningEntry {
  readonly kind: "warning";
  readonly message: string;
}

/** A certain mistake of a client. A finding is reported once, and grows while the mistake goes on. */
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
export interface Log {
  (entry: LogEntry): void;
  /**
   * Whether it ignores requests that were answered 200 without a hint. No entries are created for them
   * then.
   */
  readonly ignoresSuccess?: boolean;
}

/**
 * Wraps a log, so that it gets no secrets, and so that an exception in it does not fail the request. The
 * entries of requests are masked where they are created, because the sent token is known there.
 */
export function guardLog(log: Log, mask: Mask): Log {
  const fail = (error: unknown) => {
    try {
      warn(mask(`the log failed: ${thrownText(error)}`));
    } catch {
      // A test may have made the console throw.
    }
  };
  const guarded = (entry: LogEntry) => {
    try {
      const result: unknown = log(entry.kind === "request" ? entry : withoutSecrets(entry, mask));
      // Without a handler, the rejection of an asynchronous log would end the process.
      if (result !== undefined) Promise.resolve(result).catch(fail);
    } catch (error) {
      fail(error);
    }
  };
  return Object.assign(guarded, { ignoresSuccess: log.ignoresSuccess === true });
}

function withoutSecrets(entry: Exclude<LogEntry, RequestEntry>, mask: Mask): LogEntry {
  return entry.kind === "bug"
    ? { ...entry, error: toBug(entry.error, mask) }
    : { ...entry, message: printable(mask(entry.message)) };
}

/** Limits the memory and the output, because clients may send any number of unknown paths. */
const MAX_PATHS = 100;

/**
 * Makes a log that reports bugs, warnings, findings, requests for paths that are not served (each path
 * once), and replies with a hint (once for each operation and text). It ignores everything else.
 */
export function createWarningLog(
  warn: (message: string) => void,
  reportBug: (bug: BugEntry) => void,
): Log {
  const reportedPaths = new Set<string>();
  const reportedHints = new Set<string>();
  const report = (entry: LogEntry) => {
    if (entry.kind === "warning" || entry.kind === "finding") warn(entry.message);
    if (entry.kind === "bug") reportBug(entry);
    if (entry.kind !== "request" || (entry.hint === undefined && entry.status === 200)) return;
    if (!isUnserved(entry)) return warnOfHint(entry, reportedHints, warn);
    if (reportedPaths.has(entry.path) || reportedPaths.size > MAX_PATHS) return;
    reportedPaths.add(entry.path);
    const isLast = reportedPaths.size > MAX_PATHS;
    warn(isLast ? "further paths that are not served are no longer reported" : unservedLine(entry));
  };
  return Object.assign(report, { ignoresSuccess: true });
}

function warnOfHint(
  entry: RequestEntry,
  reported: Set<string>,
  warn: (message: string) => void,
): void {
  const { hint, isEcho, method, operation, path, status } = entry;
  if (hint === undefined || operation === undefined || isEcho) return;
  // Hints that differ only in quoted text count as one.
  const text = `${operation} ${hint.replaceAll(/"[^"]*"/g, '""')}`;
  if (reported.has(text) || reported.size >= MAX_HINTS) return;
  reported.add(text);
  const label = entry.code ?? entry.type ?? entry.verifiedAs ?? "";
  const answered = status === 200 ? "answered" : "refused with";
  warn(`${method} ${path} was ${answered} ${status ?? "no reply"} ${label}: ${hint}`);
}

/** Limits the output: a long run may have any number of refusals. */
const MAX_HINTS = 100;

/**
 * Whether no operation answered the call. Control routes, which have no request id, are left out,
 * because their callers see the 404 themselves.
 */
function isUnserved({ operation, requestId, status }: RequestEntry): boolean {
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

/** Errors may be causes of each other. */
const MAX_CAUSES = 10;

/**
 * A copy of what was thrown, for a log. Secrets are masked in its texts. Additional members are left
 * out, because they may contain the input of a client.
 */
export function toBug(thrown: unknown, mask: Mask, depth = 0): Error {
  const shown = toShowable(thrown);
  if (!isError(shown)) {
    return new Error(`expected an Error to be thrown, got ${textOf(shown, mask)}`);
  }
  const { cause, message, name, stack = `${name}: ${message}` } = shown;
  const { errors } = shown as { readonly errors?: unknown };
  const parts = Array.isArray(errors) && depth < MAX_CAUSES ? errors.slice(0, MAX_CAUSES) : [];
  const copy = new Error(mask(message));
  if (name !== copy.name) copy.name = mask(name);
  copy.stack = [
    mask(stack),
    ...parts.map((part) => `one of its errors: ${stackOf(toBug(part, mask, depth + 1))}`),
  ].join("\n");
  if (cause !== undefined && depth < MAX_CAUSES) copy.cause = toBug(cause, mask, depth + 1);
  return copy;
}

function textOf(value: unknown, mask: Mask): string {
  try {
    return JSON.stringify(maskJson(value, mask)) ?? mask(thrownText(value));
  } catch {
    return mask(thrownText(value));
  }
}

/**
 * The stack of an error and of its causes, for a terminal. All lines but the first are indented, so that
 * a message of several lines cannot look like other lines.
 */
export function printableStack(error: Error): string {
  return stackOf(error)
    .split("\n")
    .map((line, index) => (index === 0 || line.startsWith(" ") ? line : `    ${line}`))
    .map(printable)
    .join("\n");
}

/**
 * The printed members of an error. In a program that is compiled for ES2020, the type `Error` has no
 * `cause`.
 */
interface Printed extends Pick<Error, "message" | "stack"> {
  readonly cause?: unknown;
}

export function stackOf({ cause, message, stack = message }: Printed): string {
  return isError(cause) ? `${stack}\ncaused by: ${stackOf(cause)}` : stack;
}

const MAX_SHOWN = 20;
const SHOWN_CHARACTERS = 100;

/**
 * Counts the calls that no operation answers, by method and path. Without it, users may not notice them:
 * some programs continue after a 404, and a warning among many lines is overlooked.
 */
export class UnservedCalls {
  readonly #counts = new Map<string, number>();
  #total = 0;

  count(entry: LogEntry): void {
    if (entry.kind !== "request" || !isUnserved(entry)) return;
    this.#total += 1;
    const call = `${entry.method} ${shorten(entry.path, SHOWN_CHARACTERS)}`;
    const before = this.#counts.get(call) ?? 0;
    if (before > 0 || this.#counts.size < MAX_PATHS) this.#counts.set(call, before + 1);
  }

  /** How many such calls there were, with their methods and paths; undefined if there were none. */
  summary(): { readonly head: string; readonly calls: readonly string[] } | undefined {
    if (this.#total === 0) return undefined;
    const sorted = [...this.#counts].toSorted(([, one], [, other]) => other - one);
    const calls = sorted
      .slice(0, MAX_SHOWN)
      .map(([call, count]) => `${call} (${count === 1 ? "once" : `${count} times`})`);
    const more = sorted.length - calls.length;
    const orMore = sorted.length < MAX_PATHS ? "" : " or more";
    if (more > 0) calls.push(`and ${more}${orMore} others`);
    const were = this.#total === 1 ? "was" : "were";
    const head = `${pluralize(this.#total, "call")} ${were} answered 404, because latchkey serves no operation there:`;
    return { head, calls };
  }
}

import type { ApiError } from "../api/errors.ts";
import { versionAt } from "../api/version.ts";
import { faultLabel } from "../faults/fault.ts";
import { findingLine } from "../world/findings/findings.ts";
import {
  type JournalEntry,
  RecordedContent,
  verifiedAs,
} from "../world/journal/recorded-request.ts";
import { toLogText } from "../base/wording/mask.ts";
import { RawJson } from "./operations/operation.ts";
import { wholeOrLength } from "../base/wording/text.ts";
import type { Log, RequestEntry } from "./log.ts";
import type { PlainReply } from "./reply.ts";
import type { PlainRequest } from "./request.ts";
import type { RequestContext, RequestEnd } from "./request-context.ts";

/** The part of the context that the log needs. For bytes that are not HTTP, nothing else exists. */
interface LoggedContext extends Pick<
  RequestContext,
  "faults" | "hint" | "isEcho" | "mask" | "operation" | "output" | "requestId"
> {
  readonly request: Pick<PlainRequest, "method" | "path">;
}

/**
 * Makes the log entry of a request. Secrets are masked when the message is read, because most logs do
 * not show it.
 */
export function toLogEntry(
  { faults, hint: advice, isEcho, mask, operation, output, request, requestId }: LoggedContext,
  { code, duration, refusal, status, type }: Omit<RequestEnd, "reply">,
): RequestEntry {
  const contract = operation?.contract;
  const { method } = request;
  const entry: RequestEntry = {
    kind: "request",
    // Nearly every call has the method of its operation.
    method: contract?.method === method ? method : toLogText(method, mask),
    path: contract?.path ?? toLogText(request.path, mask),
    operation: contract?.name,
    status,
    requestId,
    duration,
    code,
    type,
    verifiedAs: status === 200 ? verifiedAs(operation?.contract.name, output) : undefined,
    message: undefined,
    hint: advice && toLogText(advice, mask),
    isEcho: (refusal?.isEcho ?? isEcho) || undefined,
    faults: faults.map(faultLabel),
  };
  if (refusal === undefined) return entry;
  const { hint } = refusal;
  // Only refusals get these getters, because objects with getters are slow to make.
  return Object.defineProperties(entry, {
    message: { enumerable: true, get: () => toLogText(messageOf(refusal), mask) },
    hint: { enumerable: true, get: () => hint && toLogText(hint, mask) },
  });
}

function messageOf({ message, violations }: ApiError): string {
  const details = violations.map((violation) => `${violation.location} ${violation.message}`);
  return [message, ...details].join("; ");
}

/** Only the length of a longer method or path is kept, to save memory. */
const MAX_LINE = 500;
/** Only the length of a longer input or answer is kept, to save memory. */
const MAX_INPUT_BYTES = 100_000;
const MAX_ANSWER_BYTES = 4_000;
/** The share of a summary in the journal's memory limit, in bytes. */
const SUMMARY_BYTES = 100;

/** The end of a request that a fault still delays, or whose client gets no reply. */
export const UNKNOWN_END: Omit<RequestEnd, "duration"> = {
  status: undefined,
  refusal: undefined,
  code: undefined,
  type: undefined,
  reply: undefined,
};

/** Records a finished call in the log, the journal, the needed permissions and the findings. */
export function record(context: RequestContext, end: RequestEnd, log: Log): void {
  const { operation, request, resets, rights, world } = context;
  const isSuccess = end.status === 200 && context.hint === undefined;
  if (!isSuccess || log.ignoresSuccess !== true) log(toLogEntry(context, end));
  // An OPTIONS request is no call. A request from before a reset belongs to another test.
  if (request.method === "OPTIONS" || world.resets !== resets) return;
  addToJournal(context, end);
  if (operation !== undefined && rights !== undefined && rights.demanded.length > 0) {
    world.needs.note(operation.contract.name, rights);
  }
  const { credentials, input, output, requestId, time, version } = context;
  // It is not known what a user's operation does with its input.
  if (operation === undefined || input === undefined || operation.isOwn === true) return;
  const { name } = operation.contract;
  const found = world.findings.look(name, () => ({
    requestId,
    version: version.name,
    operation: name,
    token: credentials.token ?? "",
    time,
    input: input.value,
    output: output instanceof RawJson ? output.summary : output,
  }));
  for (const finding of found) {
    log({ kind: "finding", message: findingLine(finding), finding });
  }
}

/**
 * Adds a request to the journal when a fault starts to delay it or when it ends; completes its entry if
 * it has one.
 */
export function addToJournal(
  context: RequestContext,
  { code, duration, refusal, reply, status, type }: RequestEnd,
): void {
  const { entry, mask, operation, request, time, world } = context;
  const output = refusal === undefined ? context.output : undefined;
  const answer = reply && toAnswer(output, reply);
  const faults = context.faults.map(({ id }) => id);
  const hint = refusal === undefined ? context.hint : refusal.hint;
  if (entry !== undefined) {
    world.journal.finish(entry, { answer, status, code, type, hint, duration, faults });
    return;
  }
  const { token } = context.credentials;
  if (token !== undefined) world.callers.note(token);
  const { method, path } = request;
  const names = world.recordedHeaders;
  const recorded: JournalEntry = {
    version: operation === undefined ? versionAt(path) : context.version.name,
    method: method === operation?.contract.method ? method : wholeOrLength(method, MAX_LINE),
    path: operation?.contract.path ?? wholeOrLength(path, MAX_LINE),
    operation: operation?.contract.name,
    time,
    input: toInput(request),
    answer,
    requestId: context.requestId,
    status,
    code,
    type,
    hint,
    duration,
    faults,
    token,
    headers: names.length === 0 ? undefined : headersIn(request, names),
    mask,
    nameOf: world.callers.nameOf,
  };
  context.entry = recorded;
  world.journal.record(recorded);
}

function headersIn({ header }: PlainRequest, names: readonly string[]) {
  const found = names.flatMap((name) => {
    const value = header(name);
    return value === undefined ? [] : [[name, wholeOrLength(value, MAX_LINE)] as const];
  });
  return Object.fromEntries(found);
}

function toInput({ body, method, query }: PlainRequest): RecordedContent {
  if (method === "GET" || method === "HEAD") {
    return new RecordedContent("query", query, query.length);
  }
  if ("tooLarge" in body) return new RecordedContent("summary", "(body too large)", 0);
  return body.length > MAX_INPUT_BYTES
    ? omitted(body, 0)
    : new RecordedContent("body", body, body.length);
}

/**
 * The body of the reply; for pre-rendered JSON, such as a page of keys, only its summary.
 * @param output the return value of the operation; undefined for an error reply
 */
function toAnswer(output: unknown, { pieces }: PlainReply): RecordedContent {
  if (output instanceof RawJson) {
    return new RecordedContent("summary", output.summary, SUMMARY_BYTES);
  }
  const { data, ...rest } = Object(output) as { readonly data?: unknown };
  if (data instanceof RawJson) {
    return new RecordedContent("summary", { data: data.summary, ...rest }, SUMMARY_BYTES);
  }
  // Only RawJson has more than one piece.
  const [body = ""] = pieces;
  return body.length > MAX_ANSWER_BYTES
    ? omitted(body, SUMMARY_BYTES)
    : new RecordedContent("body", body, body.length);
}

function omitted({ length }: Uint8Array | string, size: number): RecordedContent {
  const note = `(a body of ${length} bytes, which is not kept)`;
  return new RecordedContent("summary", note, size, true);
}

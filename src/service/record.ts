import { RecordedContent } from "../journal/recorded-content.ts";
import { RawJson } from "../operations/raw-json.ts";
import type { PlainReply, PlainRequest } from "./exchange.ts";
import { secretsOf } from "./request-target.ts";
import { requestIdOf, type Outcome, type RequestContext } from "./request-context.ts";

/** A longer input is not kept: a journal of the longest would take a gigabyte. */
const MAX_INPUT_BYTES = 100_000;
/** A longer answer is not kept: what matters of most is in the first few members. */
const MAX_ANSWER_BYTES = 4_000;
/** What an answer counts for that says no more than how much there was (bytes). */
const SUMMARY_BYTES = 100;

/** Tells the journal how a request stands: when a fault begins to delay it, and at its end. */
export function record(
  context: RequestContext,
  { code, duration, refusal, reply, status }: Outcome,
): void {
  const { credentials, entry, operation, target, request, resets, time, world } = context;
  // A preflight asks for nothing, and what began before a reset is none of what is tested now.
  if (request.method === "OPTIONS" || world.resets !== resets) return;
  const output = refusal === undefined ? context.output : undefined;
  const answer = reply && toAnswer(output, reply);
  const faults = context.faults.map(({ id }) => id);
  if (entry !== undefined) {
    world.journal.finish(entry, { answer, status, code, duration, faults });
    return;
  }
  context.entry = {
    method: target.method,
    path: target.path,
    operation: operation?.contract.name,
    time,
    input: toInput(request),
    answer,
    requestId: requestIdOf(context),
    status,
    code,
    duration,
    faults,
    secrets: () => secretsOf(world, credentials),
  };
  world.journal.record(context.entry);
}

/** What a client sent. */
function toInput({ body, method, query }: PlainRequest): RecordedContent {
  if (method === "GET" || method === "HEAD") return RecordedContent.ofQuery(query);
  if (body === "too large") return RecordedContent.ofSummary("(a body too large)");
  return body.length > MAX_INPUT_BYTES ? unkept(body) : RecordedContent.ofBody(body);
}

/**
 * What a client was told; of a page that the operation has written, how much there was.
 * @param output what the operation returned; undefined for a refusal
 */
function toAnswer(output: unknown, { pieces }: PlainReply): RecordedContent {
  if (output instanceof RawJson) return RecordedContent.ofSummary(output.summary, SUMMARY_BYTES);
  // What nobody has written in pieces is one.
  const [body = ""] = pieces;
  return body.length > MAX_ANSWER_BYTES
    ? unkept(body, SUMMARY_BYTES)
    : RecordedContent.ofBody(body);
}

function unkept({ length }: Uint8Array | string, size?: number): RecordedContent {
  return RecordedContent.ofSummary(`(a body of ${length} bytes, which is not kept)`, size);
}

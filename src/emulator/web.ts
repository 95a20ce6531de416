import { concatenate } from "../schema/concatenate.ts";
import {
  EventReply,
  firstHalf,
  maxBodyOf,
  splitTarget,
  type Body,
  type PlainReply,
  type PlainRequest,
} from "../service/exchange.ts";

/**
 * A request, or what stands in for it: whoever may lose patience. Its signal hears of an abort only
 * for as long as the request itself is held.
 */
export interface Abortable {
  readonly signal: AbortSignal;
}

/** Reads a web `Request`; at most one byte over the limit of its body is kept. */
export async function fromRequest(request: Request): Promise<PlainRequest> {
  const target = splitTarget(request.url);
  return {
    method: request.method,
    ...target,
    header: (name) => request.headers.get(name) ?? undefined,
    body: await readBody(request, maxBodyOf(target.path)),
  };
}

/**
 * The reply as a web `Response`, or what a client sees of one that a fault has struck: a rejection,
 * a promise that is never settled, or a body that breaks off. Who asked may end a body that goes on.
 */
export async function toResponse(reply: PlainReply, abortable?: Abortable): Promise<Response> {
  const { status, headers, effect } = reply;
  if (reply instanceof EventReply)
    return new Response(toStream(reply, abortable), { status, headers });
  if (effect === "drop") throw networkError("the connection was closed without a reply");
  if (effect === "hang") return new Promise(() => {});
  const content = effect === "truncate" ? brokenOff(reply) : (reply.body as WebBytes);
  const isEmpty = reply.pieces.length === 0;
  return new Response(isEmpty ? null : content, { status, headers: { ...headers } });
}

/** It goes on until who reads it cancels, or aborts the request. */
function toStream({ events }: EventReply, abortable?: Abortable): ReadableStream<WebBytes> {
  const end = new AbortController();
  const encoder = new TextEncoder();
  const texts = events(end.signal)[Symbol.asyncIterator]();
  let onAbort = () => {};
  const stop = () => {
    abortable?.signal.removeEventListener("abort", onAbort);
    end.abort();
    // Where it waits to be read, it would never see the signal.
    void texts.return?.();
  };
  return new ReadableStream({
    start(controller) {
      onAbort = () => {
        stop();
        controller.error(abortable?.signal.reason);
      };
      if (abortable?.signal.aborted) onAbort();
      else abortable?.signal.addEventListener("abort", onAbort);
    },
    async pull(controller) {
      const { done, value } = await texts.next();
      if (end.signal.aborted) return;
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: stop,
  });
}

/** What a `Response` takes: bytes that no other thread shares. */
type WebBytes = Uint8Array<ArrayBuffer>;

function brokenOff(reply: PlainReply): ReadableStream<WebBytes> {
  let isHalfSent = false;
  return new ReadableStream({
    pull(controller) {
      // An error takes away what has not been read.
      if (isHalfSent) controller.error(networkError("the connection was closed within the body"));
      else controller.enqueue(firstHalf(reply) as WebBytes);
      isHalfSent = true;
    },
  });
}

/** What `fetch` rejects with when there is no answer. */
function networkError(reason: string): TypeError {
  return new TypeError("fetch failed", { cause: new Error(`${reason}, by a fault`) });
}

/** Waits no longer than the caller does; the work goes on, as it does at the service. */
export async function unlessAborted<Value>(
  signal: AbortSignal,
  work: () => Promise<Value>,
): Promise<Value> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function readBody(request: Request, max: number): Promise<Body> {
  if (request.bodyUsed) throw new TypeError("the body of the request was read already");
  if (request.body === null) return new Uint8Array();
  // Not every browser has the stream.
  if (request.body === undefined) return limit(new Uint8Array(await request.arrayBuffer()), max);
  // A reader, because not every browser can iterate over a stream.
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return concatenate(chunks, length);
    length += value.length;
    if (length > max) {
      void reader.cancel().catch(() => {});
      return "too large";
    }
    chunks.push(value);
  }
}

function limit(body: Uint8Array, max: number): Body {
  return body.length > max ? "too large" : body;
}

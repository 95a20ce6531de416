import { concatenate } from "../base/concatenate.ts";
import { Lifetime } from "../base/lifetime.ts";
import { holdProcess } from "../base/real-timers.ts";
import { type Body, maxBodyOf, type PlainRequest, splitTarget } from "../service/request.ts";
import { EventReply, firstHalf, type PlainReply } from "../service/reply.ts";
import { UsageError } from "../base/usage-error.ts";

/**
 * Anything with an AbortSignal, like a `Request`. Keep a reference to the request itself: in Node,
 * aborts do not reach the signal of a request that was garbage-collected (nodejs/undici#3644).
 */
export interface Abortable {
  readonly signal: AbortSignal;
}

/**
 * Converts a web `Request`. It stops reading a body that is too large.
 * @param client ends when the client leaves; undefined if that cannot be noticed
 * @param basePath is left out of the path; a path that is not below it becomes empty
 */
export async function fromRequest(
  request: Request,
  client?: Lifetime,
  basePath = "",
): Promise<PlainRequest> {
  const { path: sent, query } = splitTarget(request.url);
  const path = `${sent}/`.startsWith(`${basePath}/`) ? sent.slice(basePath.length) || "/" : "";
  return {
    method: request.method,
    path,
    query,
    header: (name) => request.headers.get(name) ?? undefined,
    body: await readWebBody(request, maxBodyOf(path, "all")),
    clientLifetime: client && (() => client),
  };
}

/**
 * Converts a reply to a web `Response`, as a client would see it. The effect `drop` becomes a
 * rejection, and `truncate` a body that ends with an error.
 * @param abortable its signal ends the body of an event stream
 */
export async function toResponse(reply: PlainReply, abortable?: Abortable): Promise<Response> {
  const { status, headers, effect } = reply;
  if (reply instanceof EventReply)
    return new Response(toStream(reply, abortable), { status, headers });
  if (effect === "drop") throw networkError("the connection was closed without a reply");
  const content = effect === "truncate" ? brokenOff(reply) : (reply.body as WebBytes);
  const isEmpty = reply.pieces.length === 0;
  return new Response(isEmpty ? null : content, { status, headers: { ...headers } });
}

/**
 * The stream lasts until the reader cancels it or aborts the request. A pending read keeps the process
 * alive, as a connection would. The stream makes an event only when it is read, so a stream without a
 * reader keeps no process alive.
 */
function toStream({ events }: EventReply, abortable?: Abortable): ReadableStream<WebBytes> {
  const end = new AbortController();
  const encoder = new TextEncoder();
  const texts = events(end.signal)[Symbol.asyncIterator]();
  let onAbort = () => {};
  const stop = () => {
    abortable?.signal.removeEventListener("abort", onAbort);
    end.abort();
    // Between two reads, the generator is suspended at `yield` and cannot notice the signal.
    void texts.return?.();
  };
  return new ReadableStream(
    {
      start(controller) {
        onAbort = () => {
          stop();
          controller.error(abortable?.signal.reason);
        };
        if (abortable?.signal.aborted) onAbort();
        else abortable?.signal.addEventListener("abort", onAbort);
      },
      async pull(controller) {
        const release = holdProcess();
        try {
          const { done, value } = await texts.next();
          if (end.signal.aborted) return;
          if (done) controller.close();
          else controller.enqueue(encoder.encode(value));
        } finally {
          release();
        }
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}

/** The type of bytes that `Response` accepts: it excludes a `SharedArrayBuffer`. */
type WebBytes = Uint8Array<ArrayBuffer>;

function brokenOff(reply: PlainReply): ReadableStream<WebBytes> {
  let isHalfSent = false;
  return new ReadableStream({
    pull(controller) {
      // Not in the same pull as the chunk, because `error` discards unread chunks.
      if (isHalfSent) controller.error(networkError("the connection was closed within the body"));
      else controller.enqueue(firstHalf(reply) as WebBytes);
      isHalfSent = true;
    },
  });
}

function networkError(reason: string): TypeError {
  return new TypeError("fetch failed", { cause: new Error(`${reason}, by a fault`) });
}

/**
 * Rejects as soon as the signal is aborted. The work itself continues, as in the service. The work gets a
 * lifetime that ends then, so that it may stop too.
 * @throws the reason of the signal
 */
export async function unlessAborted<Value>(
  signal: AbortSignal,
  work: (clientLifetime: Lifetime) => Promise<Value>,
): Promise<Value> {
  signal.throwIfAborted();
  let stop = () => {};
  const clientLifetime = new Lifetime();
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(signal.reason);
      clientLifetime.end();
    };
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([work(clientLifetime), aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function readWebBody(request: Request, max: number): Promise<Body> {
  if (request.bodyUsed) throw new TypeError("the body of the request was read already");
  if (request.body === null) return new Uint8Array();
  // Firefox has no `Request.body`.
  if (request.body === undefined) {
    const body = new Uint8Array(await request.arrayBuffer());
    return body.length > max ? { tooLarge: max } : body;
  }
  // A reader, because Safari cannot iterate over a ReadableStream.
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return concatenate(chunks, length);
    length += value.length;
    if (length > max) {
      void reader.cancel().catch(() => {});
      return { tooLarge: max };
    }
    chunks.push(value);
  }
}

/**
 * Checks an argument early. Otherwise a promise of an emulator would fail only at the first request.
 * @throws UsageError if it is no emulator
 */
export function requireEmulator(emulator: object, caller: string): void {
  const value: unknown = emulator;
  if (typeof value === "object" && value !== null) {
    if ("handle" in value && "operations" in value) return;
    if ("then" in value) {
      throw new UsageError(`${caller}: expected an emulator, got a promise; is an await missing?`);
    }
  }
  throw new UsageError(`${caller}: expected an emulator, as createEmulator makes it`);
}

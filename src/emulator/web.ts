import { concatenate } from "./concatenate.ts";
import {
  MAX_BODY_BYTES,
  splitTarget,
  type Body,
  type PlainReply,
  type PlainRequest,
} from "./exchange.ts";

/** Reads a web `Request`; at most one byte over the limit of its body is kept. */
export async function fromRequest(request: Request): Promise<PlainRequest> {
  return {
    method: request.method,
    ...splitTarget(request.url),
    header: (name) => request.headers.get(name) ?? undefined,
    body: await readBody(request),
  };
}

export function toResponse({ status, headers, body }: PlainReply): Response {
  const content = body.length > 0 ? (body as Uint8Array<ArrayBuffer>) : null;
  return new Response(content, { status, headers: { ...headers } });
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

async function readBody(request: Request): Promise<Body> {
  if (request.bodyUsed) throw new TypeError("the body of the request was read already");
  if (request.body === null) return new Uint8Array();
  // Not every browser has the stream.
  if (request.body === undefined) return limit(new Uint8Array(await request.arrayBuffer()));
  // A reader, because not every browser can iterate over a stream.
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return concatenate(chunks, length);
    length += value.length;
    if (length > MAX_BODY_BYTES) {
      void reader.cancel().catch(() => {});
      return "too large";
    }
    chunks.push(value);
  }
}

function limit(body: Uint8Array): Body {
  return body.length > MAX_BODY_BYTES ? "too large" : body;
}

import { HOP_BY_HOP } from "../base/hop-by-hop.ts";
import { UsageError } from "../base/usage-error.ts";
import { kindOf } from "../schema/problems.ts";
import type { GatewayRequest, HeaderLines } from "./request.ts";

/** A program behind the gateway: a function like `app.fetch`, or the address of a server. */
export type Upstream = string | URL | ((request: Request) => Response | Promise<Response>);

export function isUpstream(value: unknown): boolean {
  if (typeof value === "function") return true;
  const text = String(value);
  return /^http:\/\/[^/?#@\s]+\/?$/i.test(text) && URL.canParse(text);
}

/** Methods for which Node sends no `Transfer-Encoding` by itself. */
const BODYLESS = /^(?:GET|HEAD|DELETE|OPTIONS|TRACE)$/;

type Call = (sent: GatewayRequest, headers: HeaderLines, signal: AbortSignal) => Promise<Response>;

/**
 * Returns a function that calls the program with new headers. It rejects if the program does not answer.
 * @throws UsageError for a URL in a runtime without `node:http`
 */
export function upstreamCall(upstream: Upstream): Call {
  if (typeof upstream === "function")
    return async (request, lines, signal) => {
      const reply = await upstream(request.toWeb(toHeaders(lines), signal));
      // A handler in JavaScript may lack a `return`. The class may belong to another realm.
      if ("headers" in Object(reply)) return reply;
      throw new TypeError(`expected a Response, got ${kindOf(reply)}`);
    };
  // Not imported, so that browsers and their bundlers can load this file.
  const http = globalThis.process?.getBuiltinModule?.("node:http");
  const stream = globalThis.process?.getBuiltinModule?.("node:stream");
  if (!http || !stream) {
    const runtimes = "only Node.js, Bun and Deno can call a URL";
    throw new UsageError(`createGateway: upstream: expected a function, because ${runtimes}`);
  }
  const { hostname, port } = new URL(upstream);
  const address = { host: hostname.replace(/^\[|\]$/g, ""), port: port || 80, agent: false };
  return ({ body, method, target }, lines, signal) =>
    new Promise((resolve, reject) => {
      const passed = lines.filter(([name]) => !HOP_BY_HOP.test(name));
      // Without a length, Node would announce chunks, although there is no body.
      if (body === null && !BODYLESS.test(method)) passed.push(["Content-Length", "0"]);
      // Otherwise a program that answers without reading the body closes the connection, and its response
      // may be lost.
      const headers = [...passed, ["Connection", "keep-alive"]].flat();
      const sent = http.request({ ...address, method, path: target, headers, signal });
      sent.on("error", reject);
      // Node closes the connection without an error at a 101, which no request here asks for.
      sent.on("close", () => reject(new Error("the connection ended without a reply")));
      sent.on("response", (reply) => {
        const { rawHeaders, statusCode: status = 0, statusMessage: statusText = "" } = reply;
        const isEmpty = [204, 205, 304].includes(status);
        if (isEmpty) reply.resume();
        // The body is read only as fast as the client reads.
        const strategy = { highWaterMark: 0 };
        const content = isEmpty ? null : stream.Readable.toWeb(reply, { strategy });
        try {
          const init = { status, statusText, headers: toHeaders(linesOf(rawHeaders)) };
          resolve(new Response(content as ReadableStream | null, init));
        } catch (error) {
          // `Response` does not accept every status.
          sent.destroy(error as Error);
        }
      });
      if (body === null) return void sent.end();
      const source = "pipe" in body ? body : stream.Readable.fromWeb(body as never);
      source.on("error", (error) => sent.destroy(error)).pipe(sent);
    });
}

function toHeaders(lines: HeaderLines): Headers {
  const passed = lines.filter(([name]) => !HOP_BY_HOP.test(name));
  return new Headers(
    passed.flatMap(([name, value]) => (/^transfer-encoding$/i.test(name) ? [] : [[name, value]])),
  );
}

/** Converts the raw headers of Node.js, in which each name is followed by its value. */
export function linesOf(raw: readonly string[]): HeaderLines {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as const] : []));
}

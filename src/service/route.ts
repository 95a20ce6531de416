import type { Operation } from "../operations/operation.ts";
import { liveness } from "./liveness.ts";
import { methodNotAllowed, methodsOf } from "./methods.ts";
import { notServed } from "./not-served.ts";
import { preflightReply, type PlainReply } from "./reply.ts";
import type { PlainRequest } from "./request.ts";
import type { RequestContext } from "./request-context.ts";
import { successReply } from "./v2.ts";

/** Methods that the reply to a preflight allows, if no operation has the path. */
const ANY_METHOD = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * The operation for path and method. For a browser's preflight and for `GET /v2/liveness`, which call no
 * operation, the reply.
 * @throws ApiError METHOD_NOT_ALLOWED, or NOT_FOUND that names the closest operation
 */
export function route(
  context: RequestContext,
  operations: readonly Operation[],
): Operation | PlainReply {
  const { operation, request, version } = context;
  if (operation === undefined) return answerUnserved(context, operations);
  const { method, name } = operation.contract;
  const methods = methodsOf(method);
  if (methods.includes(request.method)) {
    context.isRouted = true;
    return operation;
  }
  const options = version.takesOptions ? ["OPTIONS"] : [];
  if (isPreflight(request) || options.includes(request.method)) {
    return answerPreflight([...methods, "OPTIONS"], context);
  }
  throw methodNotAllowed(`${name} is called with ${method}`, [...methods, ...options]);
}

/**
 * Preflights succeed for every path. Otherwise a browser would not show the 404 to the page.
 */
function answerUnserved(context: RequestContext, operations: readonly Operation[]): PlainReply {
  const { method, path } = context.request;
  if (isPreflight(context.request)) return answerPreflight(ANY_METHOD, context);
  if (path !== liveness.path) throw notServed(operations, path);
  const methods = methodsOf(liveness.method);
  if (!methods.includes(method)) throw methodNotAllowed(`${path} is called with GET`, methods);
  return successReply(context.requestId, { data: { message: "latchkey is up" } });
}

/** Whether a browser asks whether a page may send a request. */
function isPreflight({ header, method }: PlainRequest): boolean {
  return method === "OPTIONS" && header("access-control-request-method") !== undefined;
}

function answerPreflight(methods: readonly string[], context: RequestContext): PlainReply {
  const requested = context.request.header("access-control-request-headers");
  return preflightReply(context.requestId, methods, requested);
}

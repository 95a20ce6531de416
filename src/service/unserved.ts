import type { Operation } from "../operations/operation.ts";
import type { PlainReply, PlainRequest } from "./exchange.ts";
import { livenessAt, livenessReply } from "./liveness.ts";
import { notServed } from "./not-served.ts";
import { preflightReply } from "./reply.ts";
import { requestIdOf, type RequestContext } from "./request-context.ts";

/** Methods that a preflight allows for a path that leads to no operation. */
const ANY_METHOD = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * Answers a path that leads to no operation. Preflights are allowed, because a browser shows the 404
 * to a page only if the preflight succeeded.
 * @throws ApiError NOT_FOUND that names the closest operation, or METHOD_NOT_ALLOWED
 */
export function answerUnserved(
  operations: readonly Operation[],
  context: RequestContext,
): PlainReply {
  const { method, path } = context.request;
  if (isPreflight(context.request)) return answerPreflight(ANY_METHOD, context);
  const liveness = livenessAt(path, operations);
  if (liveness === undefined) throw notServed(operations, context.target, path);
  if (liveness.find(method) === undefined) throw liveness.refuse(`${path} is called with GET`);
  return livenessReply(requestIdOf(context));
}

/** Whether a browser asks if a page may call. */
export function isPreflight({ header, method }: PlainRequest): boolean {
  return method === "OPTIONS" && header("access-control-request-method") !== undefined;
}

export function answerPreflight(methods: readonly string[], context: RequestContext): PlainReply {
  const requested = context.request.header("access-control-request-headers");
  return preflightReply(requestIdOf(context), methods, requested);
}

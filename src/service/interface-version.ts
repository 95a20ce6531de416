import type { ApiError } from "../contract/errors.ts";
import { toProblem, toRouteProblem } from "../contract/problem-v2.ts";
import type { PlainReply, PlainRequest } from "./exchange.ts";
import { errorReply, plainNotFoundReply, plainProblemReply, problemReply } from "./reply.ts";

/** How a version of the interface formats its error replies. */
interface InterfaceVersion {
  /** The error reply of an operation. */
  refuse(requestId: string, refusal: ApiError, request: PlainRequest): PlainReply;
  /** The error reply for a path or method that leads to no operation. */
  refuseRoute(requestId: string, refusal: ApiError, request: PlainRequest): PlainReply;
  /** The same with the quirk `plain-404`. */
  refuseRoutePlainly(requestId: string, refusal: ApiError): PlainReply;
}

const v1: InterfaceVersion = {
  refuse: errorReply,
  refuseRoute: errorReply,
  refuseRoutePlainly: plainNotFoundReply,
};

const v2: InterfaceVersion = {
  refuse: (requestId, refusal, { header }) =>
    problemReply(toProblem(refusal, requestId), refusal, header("accept")),
  refuseRoute: (requestId, refusal, { header }) =>
    problemReply(toRouteProblem(refusal, requestId), refusal, header("accept")),
  refuseRoutePlainly: (_, refusal) => plainProblemReply(refusal),
};

/** The version that a path belongs to; v1 for a path that belongs to none. */
export function versionOf(path: string): InterfaceVersion {
  return path.startsWith("/v2/") ? v2 : v1;
}

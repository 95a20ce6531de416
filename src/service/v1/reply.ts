import { toErrorEnvelope, type ApiError } from "../../contract/errors.ts";
import { RawJson, type Piece } from "../../operations/raw-json.ts";
import { CHALLENGE } from "../credentials.ts";
import { crossOrigin, lengthOf, PlainReply, toPieces } from "../reply.ts";

const json = "application/json; charset=UTF-8";

export function successReply(requestId: string, output: unknown): PlainReply {
  const pieces = output instanceof RawJson ? output.pieces : toPieces(JSON.stringify(output));
  return toReply(200, requestId, pieces, json);
}

export function errorReply(requestId: string, error: ApiError): PlainReply {
  const { code, message, status } = error;
  const pieces = toPieces(JSON.stringify(toErrorEnvelope(code, message, requestId)));
  return toReply(status, requestId, pieces, json, {
    ...(status === 401 ? CHALLENGE : {}),
    ...error.headers,
  });
}

/**
 * For the quirk `plain-404`: the plain text with which the service's router answers an unknown path.
 * The service adds the usual message as a hint.
 */
export function plainNotFoundReply(requestId: string): PlainReply {
  const pieces = ["404 Not Found"];
  return toReply(404, requestId, pieces, "text/plain; charset=UTF-8");
}

function toReply(
  status: number,
  requestId: string,
  pieces: readonly Piece[],
  type: string,
  extraHeaders?: Readonly<Record<string, string>>,
): PlainReply {
  const headers = {
    "Content-Type": type,
    "Content-Length": String(lengthOf(pieces)),
    "Unkey-Request-Id": requestId,
    ...crossOrigin,
  };
  const all = extraHeaders === undefined ? headers : { ...headers, ...extraHeaders };
  return new PlainReply(status, all, pieces);
}

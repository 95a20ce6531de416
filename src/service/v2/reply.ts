import type { ApiError } from "../../contract/errors.ts";
import { toWireJson } from "../../contract/v2/json.ts";
import type { ProblemEnvelope } from "../../contract/v2/problem.ts";
import { RawJson, type Piece } from "../../operations/raw-json.ts";
import { crossOrigin, lengthOf, PlainReply, toPieces } from "../reply.ts";

const json = "application/json";

/** Adds `meta` to the result of an operation. Like the service's, the reply has no request id header. */
export function successReply(requestId: string, output: unknown): PlainReply {
  return toReply(200, json, bodyOf(requestId, output));
}

function bodyOf(requestId: string, output: unknown): readonly Piece[] {
  if (output instanceof RawJson) return output.pieces;
  const { data, ...rest } = Object(output) as { readonly data?: unknown };
  const meta = { requestId };
  if (!(data instanceof RawJson)) {
    const text = toWireJson({ data, meta, ...rest });
    // JSON leaves out a member that it cannot hold, like undefined or a function.
    return toPieces(text?.startsWith('{"data":') ? text : undefined);
  }
  // Ids, cursors and flags are ASCII, as pieces that are strings have to be.
  return ['{"data":', ...data.pieces, `,${(toWireJson({ meta, ...rest }) ?? "").slice(1)}`];
}

/** An error reply, with the headers of `error`. What the service's schema refuses is always plain JSON. */
export function problemReply(
  problem: ProblemEnvelope,
  { headers, status, violations }: ApiError,
  accept: string | undefined,
): PlainReply {
  const accepts = /application\/(?:problem\+json|\*)|\*\/\*/.test(accept ?? "");
  const type = accepts && violations.length === 0 ? "application/problem+json" : json;
  const pieces = toPieces(toWireJson(problem));
  return toReply(status, type, pieces, headers);
}

function toReply(
  status: number,
  type: string,
  pieces: readonly Piece[],
  extraHeaders?: Readonly<Record<string, string>>,
): PlainReply {
  const headers = {
    "Content-Type": type,
    "Content-Length": String(lengthOf(pieces)),
    ...crossOrigin,
    ...extraHeaders,
  };
  return new PlainReply(status, headers, pieces);
}

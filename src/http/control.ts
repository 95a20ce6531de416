import type { IncomingMessage, ServerResponse } from "node:http";
import type { Emulator } from "../emulator/emulator.ts";
import { PlainReply } from "../service/reply.ts";
import type { PlainRequest } from "../service/request.ts";
import { originProblem, remoteReasonOf, type Allowed } from "./control-guard.ts";

/** What is known of a request for a control route before its body is read. */
interface GuardedRequest {
  /** Why its host or origin is refused; undefined if it is allowed. */
  readonly problem: string | undefined;
  /** The allowed origin whose page sends it; undefined if it comes from no such page. */
  readonly origin: string | undefined;
  /** Why it may come from another machine; undefined if it comes from this one, or if no other can reach it. */
  readonly remoteReason: string | undefined;
  /** What it may control, for the length of its body; `Emulator.control` checks again. */
  readonly scope: ReturnType<Emulator["controls"]>;
}

/** Checks what is known of a request for a control route before its body is read. */
export function guardControl(
  emulator: Emulator,
  request: IncomingMessage,
  header: PlainRequest["header"],
  allowed: Allowed,
  isBeyondLoopback: boolean,
): GuardedRequest {
  const problem = originProblem(request, allowed);
  const { origin: sent } = request.headers;
  const isKnown = problem === undefined && sent !== undefined && allowed.origins.has(sent);
  const remoteReason = isBeyondLoopback ? remoteReasonOf(request) : undefined;
  const scope = problem === undefined ? emulator.controls({ header, remoteReason }) : undefined;
  return { problem, origin: isKnown ? sent : undefined, remoteReason, scope };
}

/** The reply to a request for a control route. */
export async function answerControl(
  emulator: Emulator,
  request: IncomingMessage,
  plain: PlainRequest,
  { origin, problem }: GuardedRequest,
): Promise<PlainReply> {
  const isAsked = origin !== undefined && isControlPreflight(request);
  return isAsked ? controlPreflightReply(request) : emulator.control(plain, problem);
}

/** Lets pages of this origin read the response to a control request, whatever it is. */
export function shareWith(origin: string, response: ServerResponse): void {
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", "X-Latchkey-Hint");
  response.setHeader("Vary", "Origin");
}

/** Whether a browser asks whether a page may send a control request. */
function isControlPreflight({ headers, method }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

/** Allows every method of control routes, so that a page can read why a call is refused. */
function controlPreflightReply({ headers }: IncomingMessage): PlainReply {
  const requested = headers["access-control-request-headers"];
  return new PlainReply(
    204,
    {
      "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
      ...(requested === undefined ? {} : { "Access-Control-Allow-Headers": requested }),
      "Cache-Control": "no-store",
    },
    [],
  );
}

import { isRecord } from "../base/is-record.ts";
import type { RecordedRequest } from "./recorded-request.ts";

/**
 * The code of a verification, like `RATE_LIMITED`: it is answered with status 200, whatever its code is.
 * Undefined for other operations, and without a reply.
 * @param answer the body of the reply, of either version
 */
export function verifiedAs(operation: string | undefined, answer: unknown): string | undefined {
  if (operation !== "keys.verifyKey" || !isRecord(answer)) return undefined;
  const data = isRecord(answer["data"]) ? answer["data"] : answer;
  return typeof data["code"] === "string" ? data["code"] : undefined;
}

/** The code or type of a refusal, or the code of a verification; undefined if the status says it all. */
export function wordOf(request: Pick<RecordedRequest, "answer" | "code" | "operation" | "type">) {
  return request.code ?? request.type ?? verifiedAs(request.operation, request.answer);
}

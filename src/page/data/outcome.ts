import { isRecord } from "../../base/json.ts";
import { verifiedAs } from "../../api/outcomes.ts";
import type { RecordedRequest } from "../../world/journal/recorded-request.ts";

/** What a call was answered, in the words of the interface. */
export interface Outcome {
  /** Like `VALID`, `RATE_LIMITED` or `INVALID_INPUT`; undefined if the status says it all. */
  readonly word: string | undefined;
  readonly kind: "good" | "warn" | "bad";
  /** The key that the call was about, as far as input and answer tell. */
  readonly keyId: string | undefined;
  readonly keyName: string | undefined;
}

/** The outcome of a call. A verification is answered with status 200, whatever its code is. */
export function outcomeOf(request: RecordedRequest): Outcome {
  const { answer, code, input, operation, status, type } = request;
  const data = isRecord(answer) && isRecord(answer["data"]) ? answer["data"] : answer;
  const verified = verifiedAs(operation, answer);
  const isWell = isSuccess(request) && (verified === undefined || verified === "VALID");
  return {
    word: code ?? (type === undefined ? verified : toWord(type)),
    kind: isWell ? "good" : status === undefined || status < 400 ? "warn" : "bad",
    keyId: textIn(data, "keyId") ?? textIn(input, "keyId"),
    keyName: textIn(data, "name") ?? textIn(input, "name"),
  };
}

export function isSuccess({ status }: Pick<RecordedRequest, "status">): boolean {
  return status !== undefined && status < 400;
}

/** The last part of a type of problem, like `INVALID_INPUT` for `unkey/application/invalid_input`. */
function toWord(type: string): string {
  return (type.split("/").at(-1) ?? type).toUpperCase();
}

function textIn(value: unknown, member: string): string | undefined {
  const found = isRecord(value) ? value[member] : undefined;
  return typeof found === "string" && found !== "" ? found : undefined;
}

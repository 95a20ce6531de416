import { isRecord } from "../../base/json.ts";
import type { RecordedRequest } from "../../world/journal/recorded-request.ts";

type Members = Readonly<Record<string, unknown>>;

/** A call and its outcome, in words. */
export interface CallWords {
  /** Whether the call succeeded (`good`), was refused (`bad`), or has no reply. */
  readonly kind: "good" | "bad" | "none";
  /** The code of a verification or the code or type of a refusal, like `RATE_LIMITED`. */
  readonly code: string | undefined;
  /** The outcome and its reason: the hint of a refusal, like `11th use of 10 per 10 s, free in 4 s`. */
  readonly words: string;
  /** The key or the identifier that the call was about. */
  readonly subject: string | undefined;
  readonly keyId: string | undefined;
}

/** The part of a call that its words need. */
type Answered = Pick<
  RecordedRequest,
  "answer" | "code" | "hint" | "input" | "operation" | "status" | "type"
>;

export function describe(request: Answered): CallWords {
  const { answer, input, operation = "", status } = request;
  const body = record(answer);
  const data = isRecord(body["data"]) ? body["data"] : body;
  const asked = record(input);
  const about = {
    subject: subjectOf(operation, asked, data),
    keyId: textIn(data, "keyId") ?? textIn(asked, "keyId"),
  };
  if (status === undefined) return { ...about, kind: "none", code: undefined, words: "no reply" };
  if (status >= 400) {
    // Like `INVALID_INPUT` for `unkey/application/invalid_input`.
    const type = request.type?.split("/").at(-1)?.toUpperCase();
    const code = request.code ?? type ?? String(status);
    return { ...about, kind: "bad", code, words: refusalWords(request, body) };
  }
  if (operation === "keys.verifyKey") return { ...about, ...describeVerified(data, request) };
  const isLimited = data["success"] === false || data["passed"] === false;
  const { hint = "more uses than the limit allows" } = request;
  if (isLimited) return { ...about, kind: "bad", code: "LIMITED", words: hint };
  return { ...about, kind: "good", code: undefined, words: doneWords(operation, data) };
}

/** Whether a call was refused, also if its key is not valid or a limit refused it. */
export function isRefused(request: RecordedRequest): boolean {
  return describe(request).kind === "bad";
}

/** The name of a call, like `keys.verifyKey`; for other paths, the method and the path. */
export function callName({ method, operation, path }: RecordedRequest): string {
  return operation ?? `${method} ${path}`;
}

function describeVerified(data: Members, { hint = "the key is not valid" }: Answered) {
  const code = textIn(data, "code");
  if (code !== undefined && code !== "VALID") return { kind: "bad", code, words: hint } as const;
  const left = numberIn(data, "credits") ?? numberIn(data, "remaining");
  const words = left === undefined ? "valid" : `valid, ${left.toLocaleString("en")} left`;
  return { kind: "good", code: undefined, words } as const;
}

/** Operations whose success says more than `done`. */
const done: Readonly<Record<string, string>> = {
  "keys.createKey": "created",
  "keys.rerollKey": "replaced",
  "keys.updateKey": "changed",
  "keys.deleteKey": "deleted",
};

function doneWords(operation: string, data: Members): string {
  const left = numberIn(data, "remaining");
  if (data["success"] === true && left !== undefined) {
    const limit = numberIn(data, "limit") ?? left;
    return `allowed, ${left.toLocaleString("en")} of ${limit.toLocaleString("en")} left`;
  }
  const keys = numberIn(data, "keys");
  if (keys !== undefined) return keys === 1 ? "1 key" : `${keys.toLocaleString("en")} keys`;
  return done[operation] ?? "done";
}

function subjectOf(operation: string, asked: Members, data: Members): string | undefined {
  const identifier = textIn(asked, "identifier");
  if (identifier !== undefined) return identifier;
  if (!operation.startsWith("keys.")) return textIn(asked, "apiId");
  const named = textIn(data, "name") ?? textIn(asked, "name");
  return named ?? textIn(data, "keyId") ?? textIn(asked, "keyId");
}

/** In v1, the hint continues the message; in v2, the hint says it all. */
function refusalWords({ hint }: Answered, { error }: Members): string {
  const { detail, message } = record(error);
  const texts = [message, hint].filter((text) => typeof text === "string");
  return texts.length > 0 ? texts.join("; ") : String(detail ?? "refused");
}

function record(value: unknown): Members {
  return isRecord(value) ? value : {};
}

function textIn(value: Members, member: string): string | undefined {
  const found = value[member];
  return typeof found === "string" && found !== "" ? found : undefined;
}

function numberIn(value: Members, member: string): number | undefined {
  const found = value[member];
  return typeof found === "number" ? found : undefined;
}

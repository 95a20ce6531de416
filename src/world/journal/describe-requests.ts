import { pluralize, printable } from "../../base/wording/text.ts";
import { type RecordedRequest, verifiedAs } from "./recorded-request.ts";

/** How many requests are shown, the last ones. */
const SHOWN = 20;

/**
 * The last 20 requests for a person to read, a line each: version, operation, status, the code or type of a refusal
 * or the code of a verification, the faults that hit it, and the hint. Use it in the message of a failed
 * test, with `emulator.requests.list()` or what the client of `latchkey/client` lists.
 */
export function describeRequests(requests: readonly RecordedRequest[]): string {
  const shown = requests.slice(-SHOWN);
  const names = shown.map(nameOf);
  const width = Math.max(0, ...names.map(({ length }) => length));
  const earlier = requests.length - shown.length;
  const count = requests.length === 0 ? "no call" : pluralize(requests.length, "call");
  const which = earlier === 0 ? "" : `, the last ${shown.length} of them`;
  const head = `latchkey saw ${count}${which}${count === "no call" ? "" : ":"}`;
  const lines = shown.map((request, index) => {
    const name = (names[index] ?? "").padEnd(width);
    return printable(`  ${name}  ${outcomeOf(request)}`);
  });
  return [head, ...lines].join("\n");
}

function nameOf({ method, operation, path, version }: RecordedRequest): string {
  return operation === undefined || version === undefined
    ? `${method} ${path}`
    : `${version} ${operation}`;
}

function outcomeOf(request: RecordedRequest): string {
  const { faults, hint, status } = request;
  const applied = faults.length === 0 ? [] : [`(${faults.join(", ")})`];
  const words = [status ?? "no reply", wordOf(request), ...applied]
    .filter((word) => word !== undefined)
    .join(" ");
  return hint === undefined ? words : `${words}: ${hint}`;
}

/** The code or type of a refusal, or the code of a verification; undefined if the status says it all. */
function wordOf(request: Pick<RecordedRequest, "answer" | "code" | "operation" | "type">) {
  return request.code ?? request.type ?? verifiedAs(request.operation, request.answer);
}

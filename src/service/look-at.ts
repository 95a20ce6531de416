import type { NewFinding } from "../findings/findings.ts";
import type { SeenCall } from "../findings/seen-call.ts";
import { RawJson } from "../operations/raw-json.ts";
import { messageOf } from "./record.ts";
import type { PlainRequest } from "./request.ts";
import type { RequestContext } from "./request-context.ts";

/** What the client got: the status is undefined if it was nothing. */
type Received = Pick<SeenCall, "headers" | "status">;

/** Shows a finished call to the rules of findings. Returns what they newly found. */
export function lookAt(
  context: RequestContext,
  { headers, status }: Received,
): readonly NewFinding[] {
  const { operation, refusal, request, resets, world } = context;
  const { body, method } = request;
  // As in the journal: a preflight is no call, and a call from before a reset belongs to another test.
  if (method === "OPTIONS" || world.resets !== resets) return NONE;
  return world.findings.look({
    requestId: context.requestId,
    version: context.version.name,
    operation: operation?.contract.name,
    method,
    path: request.path,
    query: request.query,
    body: body === "too large" ? undefined : body,
    bodyFormat: refusal && bodyFormatOf(request),
    refusal: refusal && messageOf(refusal),
    // Headers without a token differ too: a client that corrects its header does not repeat a call.
    token: context.credentials.token ?? context.credentials.authorization ?? "",
    status,
    headers,
    input: context.input?.value,
    unknown: context.input?.unknown ?? NO_MEMBERS,
    nextCursor: status === 200 ? cursorIn(context.output) : undefined,
    lostBy: lostBy(context),
    arrived: context.arrived,
    connection: request.connection,
  });
}

/** The headers that decide whether a body can be read. */
function bodyFormatOf({ header }: PlainRequest): string {
  return `${header("content-type")}, ${header("content-encoding")}`;
}

const NONE: readonly NewFinding[] = [];
const NO_MEMBERS: readonly string[] = [];

/** The cursor for the next page, of either version. */
function cursorIn(output: unknown): SeenCall["nextCursor"] {
  const page: unknown = output instanceof RawJson ? output.summary : output;
  const { cursor, pagination } = Object(page) as Page;
  return pagination === undefined ? cursor : pagination.cursor;
}

interface Page {
  readonly cursor?: string;
  readonly pagination?: { readonly cursor?: string };
}

/** The fault that kept the reply from the client, although the operation took effect. */
function lostBy({ decidingFault, output }: RequestContext): string | undefined {
  if (decidingFault === undefined || output === undefined) return undefined;
  const { effect, id, status = 0 } = decidingFault;
  return effect !== undefined || status >= 500 ? id : undefined;
}

import { toHeaderText } from "../api/errors.ts";

const titles = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

const RETRY = "Please try again later.";
/** Status and message of each refusal, by the code without `err:frontline:`. */
const refusals = {
  "client:missing_credentials": [401, "Authentication required. Please provide a valid API key."],
  "client:invalid_key": [401, "Authentication failed. The provided API key is invalid."],
  "client:insufficient_permissions": [
    403,
    "Access denied. The API key does not have the required permissions.",
  ],
  "client:rate_limited": [429, `Rate limit exceeded. ${RETRY}`],
  "client:usage_exceeded": [429, "Usage limit exceeded. This API key has no remaining credits."],
  "client:firewall_denied": [403, "Forbidden"],
  "routing:config_not_found": [
    404,
    "No deployment found for this hostname. Please check your domain configuration or contact support at support@unkey.com.",
  ],
  "upstream:bad_gateway": [502, "Unable to connect. Please try again in a few moments."],
  "upstream:service_unavailable": [503, `The service is temporarily unavailable. ${RETRY}`],
  "upstream:gateway_timeout": [504, `The request took too long to process. ${RETRY}`],
  "platform:internal_server_error": [500, `An unexpected error occurred. ${RETRY}`],
  // Only latchkey has this one. The service passes upgrades on.
  "latchkey:upgrade": [501, "This gateway does not support WebSockets."],
} as const satisfies Record<string, readonly [keyof typeof titles, string]>;

/** Thrown to refuse a request: the program does not get it, or did not answer it. */
export class Refusal extends Error {
  readonly code: keyof typeof refusals;
  /** The word for it in the log. */
  readonly verdict: string;

  /** @param hint the reason, for the header `X-Latchkey-Hint` */
  constructor(code: keyof typeof refusals, hint: string, verdict = code.replace(/^\w+:/, "")) {
    super(hint);
    this.code = code;
    this.verdict = verdict;
  }
}

/**
 * The response for a refusal: JSON if the client accepts it, otherwise an HTML page.
 * @param accept the header `Accept`, or an empty text
 */
export function toResponse(
  code: Refusal["code"],
  { accept, hint, requestId }: Readonly<Record<"accept" | "hint" | "requestId", string>>,
): Response {
  const [status, message] = refusals[code];
  const title = `${status} ${titles[status]}`;
  const urn = `err:frontline:${code}`;
  const isJson =
    /application\/(?:json|\*)/.test(accept) ||
    (accept.includes("*/*") && !accept.includes("text/html"));
  const body = isJson
    ? JSON.stringify({ meta: { requestId }, error: { code: urn, message } })
    : `<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>${title}</title>
<h1>${title}</h1><p>${message}</p><p><code>${urn}</code> <code>${requestId}</code></p></html>
`;
  const type = isJson ? "application/json" : "text/html; charset=utf-8";
  const headers = { "Content-Type": type, "X-Latchkey-Hint": toHeaderText(hint) };
  return new Response(body, { status, headers });
}

import type { Json } from "../schema/json-schema.ts";

/** Parts of OpenAPI documents that describe answers. */

export const EXAMPLE_REQUEST_ID = "req_1Gkhd5S6xJwpqYJ3";

/** The header that every answer of an operation has. */
export const requestIdHeader = {
  "Unkey-Request-Id": {
    description: "Names the request. A refusal repeats it as `error.requestId`.",
    required: true,
    schema: { type: "string", examples: [EXAMPLE_REQUEST_ID] },
  },
};

/** Headers that every answer of an operation has. */
export const ANSWER_HEADERS = Object.keys(requestIdHeader);

/** Headers that come with some refusals. */
export const refusalHeaders = {
  "WWW-Authenticate": {
    description: "How to authenticate. It comes with the status 401.",
    schema: { type: "string", examples: ["Bearer"] },
  },
  Allow: {
    description: "The methods that the path takes. It comes with the status 405.",
    schema: { type: "string", examples: ["GET, HEAD"] },
  },
};

/** A refusal with this content. `names` are headers that every answer has. */
export function refusalOf(
  status: number | "default",
  description: string,
  content: Json,
  names: readonly string[] = [],
): Json {
  const all = [
    ...names,
    ...(status === 401 ? ["WWW-Authenticate"] : []),
    ...(status === 405 || status === "default" ? ["Allow"] : []),
  ];
  return { description, ...headersOf(all), content };
}

/** References to these headers, as a member of a response. */
export function headersOf(names: readonly string[]): Json {
  if (names.length === 0) return {};
  const toReference = (name: string) => [name, { $ref: `#/components/headers/${name}` }];
  return { headers: Object.fromEntries(names.map(toReference)) };
}

/** A body of JSON, as a request or a response describes its content. */
export function json(schema: Json, example?: unknown): Json {
  return { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
}

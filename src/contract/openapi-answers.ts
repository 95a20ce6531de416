import type { Json } from "../schema/json-schema.ts";

export const EXAMPLE_REQUEST_ID = "req_1Gkhd5S6xJwpqYJ3";

/** Header objects of OpenAPI for the headers of every answer of an operation. */
export const requestIdHeader = {
  "Unkey-Request-Id": {
    description: "The id of the request. A refusal repeats it as `error.requestId`.",
    required: true,
    schema: { type: "string", examples: [EXAMPLE_REQUEST_ID] },
  },
};

/** The names of these headers. */
export const ANSWER_HEADERS = Object.keys(requestIdHeader);

/** Header objects of OpenAPI for the headers of some refusals. */
export const refusalHeaders = {
  "WWW-Authenticate": {
    description: "How to authenticate. Sent with the status 401.",
    schema: { type: "string", examples: ["Bearer"] },
  },
  Allow: {
    description: "The methods that the path takes. Sent with the status 405.",
    schema: { type: "string", examples: ["GET, HEAD"] },
  },
};

/** An OpenAPI response for a refusal. `names` are the headers that it has with every status. */
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

/** The `headers` member of an OpenAPI response, with references to the named headers. */
export function headersOf(names: readonly string[]): Json {
  if (names.length === 0) return {};
  const toReference = (name: string) => [name, { $ref: `#/components/headers/${name}` }];
  return { headers: Object.fromEntries(names.map(toReference)) };
}

/** The `content` of an OpenAPI request or response with a JSON body. */
export function json(schema: Json, example?: unknown): Json {
  return { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
}

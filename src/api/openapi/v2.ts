import * as f from "../../schema/fields.ts";
import type { Json } from "../../schema/json-schema.ts";
import {
  EXAMPLE_REQUEST_ID,
  json,
  refusalHeaders,
  refusalOf,
  type VersionDocument,
} from "./answers.ts";
import { toProblem } from "../v2/problem.ts";

/** The member `meta` of every reply, which the emulator adds. */
const replyMeta = f.component("Meta", "About the request.", {
  requestId: f.described(f.text(), "The id of the request."),
});

const violation = f.component("Violation", "What a schema refuses.", {
  location: f.described(
    f.text(),
    "The path of the keyword in the schema, like `/properties/name/minLength`.",
  ),
  message: f.described(f.text(), "What was wrong, for a person to read."),
  fix: f.optional(f.text(), "What to do."),
});

const problem = f.component("Problem", "The body of every refusal.", {
  error: f.objectOf({
    detail: f.described(f.text(), "What was wrong, for a person to read."),
    errors: f.optional(
      f.listOf(violation, "violations"),
      "Present with the statuses 400, 408, 413 and 499, and often empty.",
    ),
    status: f.described(f.integer({ min: 400, max: 599 }), "The HTTP status."),
    title: f.described(f.text(), "The kind of problem, for a person to read."),
    type: f.described(f.text(), "A page about the kind of problem."),
  }),
  meta: replyMeta,
});

/** The statuses of refusals, each with its cause. */
const causes: Readonly<Record<number, string>> = {
  400: "The body does not fit the schema, or there is no `Authorization: Bearer <token>`.",
  401: "The token is unknown.",
  403: "The token or its workspace is disabled, the token has expired or lacks a permission.",
  404: "Something that the call names does not exist, or the token may not see it.",
  409: "A record with this name or external id exists already.",
  412: "The state of the API or the key does not allow the call.",
  413: "The body is over 10 MiB.",
  429: "Sent only because of a fault.",
  500: "The API has no keyspace, or a fault or a bug in latchkey.",
};

/** The operations that answer 410 for a deleted namespace. */
const GONE = /^ratelimit\.(?:limit|multiLimit)$/;

export const v2Document: VersionDocument = {
  description: "The part of the service's v2 interface that latchkey emulates.",
  headers: { Allow: refusalHeaders.Allow },
  answerHeaders: [],
  refusal: problem,
  toBody,
  toRefusals: ({ name }, body) => {
    const gone = GONE.test(name) ? { 410: "The namespace was deleted." } : {};
    const responses = Object.entries({ ...causes, ...gone }).map(([status, cause]) => [
      status,
      refusalResponse(Number(status), cause, body),
    ]);
    const other = refusalOf("default", "Any other refusal.", toContent(body));
    return { ...Object.fromEntries(responses), default: other };
  },
};

/** The members are in the order in which replies have them. */
function toBody(described: Json, components: Parameters<VersionDocument["toBody"]>[1]): Json {
  const meta = components.describe(replyMeta, "output", "meta");
  const name =
    String(described["$ref"] ?? "")
      .split("/")
      .at(-1) ?? "";
  const schema = components.schemas[name] ?? described;
  const { data, ...rest } = (schema["properties"] ?? {}) as Json;
  const required = (schema["required"] ?? []) as string[];
  Object.assign(schema, {
    properties: { ...(data === undefined ? {} : { data }), meta, ...rest },
    required: [...required, "meta"],
  });
  return described;
}

/** Plain JSON too: the service sends it where its schema refuses a body. */
function toContent(body: Json, example?: unknown): Json {
  const { "application/json": content } = json(body, example);
  return { "application/json": content, "application/problem+json": content };
}

/** Unlike in v1, a 401 has no `WWW-Authenticate`. */
function refusalResponse(status: number, message: string, body: Json): Json {
  const refusal = { code: "", message, status, type: undefined, violations: [] };
  const example = toProblem(refusal, EXAMPLE_REQUEST_ID);
  return { description: message, content: toContent(body, example) };
}

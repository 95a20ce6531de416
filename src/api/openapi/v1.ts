import {
  errorCauses,
  errorCodes,
  errorStatus,
  operationErrors,
  toErrorEnvelope,
  type ErrorCode,
} from "../errors.ts";
import * as f from "../../schema/fields.ts";
import type { Json } from "../../schema/json-schema.ts";
import {
  EXAMPLE_REQUEST_ID,
  json,
  refusalHeaders,
  refusalOf,
  type VersionDocument,
} from "./answers.ts";
import type { ServedContract } from "../operation.ts";

const answerHeaders = {
  "Unkey-Request-Id": {
    description: "The id of the request. A refusal repeats it as `error.requestId`.",
    required: true,
    schema: { type: "string", examples: [EXAMPLE_REQUEST_ID] },
  },
};
const NAMES = Object.keys(answerHeaders);

// Not `Error`, which would clash with the global `Error` in generated clients.
const refusal = f.component("ErrorResponse", "The body of every refusal.", {
  error: f.objectOf({
    code: f.choice(errorCodes),
    docs: f.described(f.text(), "A page about the code."),
    message: f.described(f.text(), "What was wrong, for a person to read."),
    requestId: f.described(f.text(), "Equals the response header `Unkey-Request-Id`."),
  }),
});

export const v1Document: VersionDocument = {
  description: "The part of the service's v1 interface that latchkey emulates.",
  headers: { ...answerHeaders, ...refusalHeaders },
  answerHeaders: NAMES,
  refusal,
  toBody: (described) => described,
  toRefusals,
};

function toRefusals({ errors = operationErrors, method }: ServedContract, body: Json) {
  return {
    ...toErrorResponses(errors, body),
    ...(method === "POST"
      ? {
          "413": refusalResponse(413, "BAD_REQUEST: a body over 1 MiB", "BAD_REQUEST", body),
          "415": refusalResponse(
            415,
            "BAD_REQUEST: a body that is compressed",
            "BAD_REQUEST",
            body,
          ),
        }
      : {}),
    default: refusalResponse("default", "Any other refusal.", "METHOD_NOT_ALLOWED", body),
  };
}

function toErrorResponses(errors: readonly ErrorCode[], body: Json): Record<string, Json> {
  const statuses = new Set(errors.map((code) => errorStatus[code]));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const codes = errors.filter((code) => errorStatus[code] === status);
      const [first = "BAD_REQUEST"] = codes;
      return [String(status), refusalResponse(status, codes.join(", "), first, body)];
    }),
  );
}

/** @param code the error code of the example */
function refusalResponse(
  status: number | "default",
  description: string,
  code: ErrorCode,
  body: Json,
): Json {
  const example = toErrorEnvelope(code, errorCauses[code], EXAMPLE_REQUEST_ID);
  return refusalOf(status, description, json(body, example), NAMES);
}

import type * as z from "zod/mini";
import {
  errorCauses,
  errorEnvelope,
  errorStatus,
  operationErrors,
  toErrorEnvelope,
  type ErrorCode,
} from "./errors.ts";
import { docs } from "../schema/fields.ts";
import { groupDescriptions } from "./groups.ts";
import { toJsonSchema, type Json } from "../schema/json-schema.ts";
import {
  ANSWER_HEADERS,
  EXAMPLE_REQUEST_ID,
  headersOf,
  json,
  refusalHeaders,
  refusalOf,
  requestIdHeader,
} from "./openapi-answers.ts";
import type { Contract } from "./operation.ts";
import type { Schema } from "../schema/schema.ts";

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = Record<string, unknown>;

/**
 * The OpenAPI 3.1 document of these operations, generated from the schemas that validate their
 * input. `version` is that of the document.
 */
export function toOpenApi(contracts: readonly Contract[], version: string): OpenApiDocument {
  const components = new Components();
  const error = components.describe(errorEnvelope, "output", "refusal");
  const paths: Record<string, Json> = {};
  for (const contract of contracts) {
    const path = paths[contract.path] ?? {};
    path[contract.method.toLowerCase()] = toOperation(contract, components, error);
    paths[contract.path] = path;
  }
  return {
    ...documentHead({
      title: "API-key management",
      version,
      description: "The part of the service's v1 interface that latchkey emulates.",
    }),
    servers: [{ url: "http://localhost:4010", description: "latchkey on its default port." }],
    security: [{ rootToken: [] }],
    tags: toTags(contracts),
    paths,
    components: {
      securitySchemes: {
        rootToken: {
          type: "http",
          scheme: "bearer",
          description: "A root key. Any text is accepted unless fixtures list tokens.",
        },
      },
      headers: { ...requestIdHeader, ...refusalHeaders },
      schemas: components.schemas,
    },
  };
}

/** The members that every OpenAPI document begins with. */
export function documentHead(info: Json): Json {
  return {
    openapi: "3.1.0",
    info: {
      ...info,
      contact: { name: "latchkey" },
      license: { name: "MIT", identifier: "MIT" },
    },
  };
}

function toTags(contracts: readonly Contract[]): Json[] {
  const names = new Set(contracts.map(groupOf));
  return [...names].map((name) => ({
    name,
    description: groupDescriptions[name] ?? `Operations of the group \`${name}\`.`,
  }));
}

function groupOf({ name }: Contract): string {
  return name.split(".")[0] ?? "";
}

function toOperation(contract: Contract, components: Components, error: Json): Json {
  const { errors = operationErrors, input, method, name, output, summary = name } = contract;
  const { description = summary } = contract;
  return {
    operationId: name,
    summary,
    description,
    tags: [groupOf(contract)],
    ...(method === "GET"
      ? { parameters: toParameters(components.describe(input, "input", `${name}.query`)) }
      : {
          requestBody: {
            required: true,
            content: json(components.describe(input, "input", `${name}.body`)),
          },
        }),
    responses: {
      "200": {
        description: docs.get(output as z.core.$ZodType)?.["description"] ?? "Done.",
        ...headersOf(ANSWER_HEADERS),
        content: json(components.describe(output, "output", `${name}.result`)),
      },
      ...toErrorResponses(errors, error),
      ...(method === "POST"
        ? {
            "413": toRefusal(413, "BAD_REQUEST: a body over 1 MiB", "BAD_REQUEST", error),
            "415": toRefusal(415, "BAD_REQUEST: a body that is compressed", "BAD_REQUEST", error),
          }
        : {}),
      default: toRefusal("default", "Any other refusal.", "METHOD_NOT_ALLOWED", error),
    },
  };
}

export function toParameters(query: Json): Json[] {
  const required = new Set((query["required"] as string[] | undefined) ?? []);
  return Object.entries(query["properties"] as Record<string, Json>).map(([name, schema]) => {
    const { deprecated, description, ...rest } = schema;
    return {
      name,
      in: "query",
      required: required.has(name),
      ...(description === undefined ? {} : { description }),
      ...(deprecated === undefined ? {} : { deprecated }),
      schema: rest,
    };
  });
}

function toErrorResponses(errors: readonly ErrorCode[], error: Json): Record<string, Json> {
  const statuses = new Set(errors.map((code) => errorStatus[code]));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const codes = errors.filter((code) => errorStatus[code] === status);
      const [first = "BAD_REQUEST"] = codes;
      return [String(status), toRefusal(status, codes.join(", "), first, error)];
    }),
  );
}

/** An OpenAPI response for a refusal of an operation, with an example that has this code. */
function toRefusal(
  status: number | "default",
  description: string,
  code: ErrorCode,
  error: Json,
): Json {
  const example = toErrorEnvelope(code, errorCauses[code], EXAMPLE_REQUEST_ID);
  return refusalOf(status, description, json(error, example), ANSWER_HEADERS);
}

/** Collects `components.schemas` of a document: schemas with an id, and recursive ones. */
export class Components {
  readonly schemas: Record<string, Json> = {};

  /**
   * Describes a schema: in place, or by a reference if it has an id. The schemas that it refers to
   * become components under their ids; those without an id are called `<name>.schema0` and so on.
   */
  describe(schema: Schema, io: "input" | "output", name: string): Json {
    const json = toJsonSchema(schema as z.core.$ZodType, io);
    // zod calls schemas without an id `__schema0` and so on.
    const rename = (id: string) => (id.startsWith("__") ? `${name}.${id.slice(2)}` : id);
    const { $schema: _, $defs = {}, ...root } = toComponents(json, name, rename);
    for (const [id, described] of Object.entries($defs as Json)) {
      this.schemas[rename(id)] = described as Json;
    }
    if (!JSON.stringify(root).includes(`"${COMPONENTS}${name}"`)) return root;
    this.schemas[name] = root;
    return { $ref: COMPONENTS + name };
  }
}

const COMPONENTS = "#/components/schemas/";

/** A copy of a JSON Schema in which `$ref` points to the components of the document. */
function toComponents(json: unknown, name: string, rename: (id: string) => string): Json {
  return JSON.parse(JSON.stringify(json), (member, value: unknown) => {
    if (member !== "$ref" || typeof value !== "string") return value;
    return COMPONENTS + (value === "#" ? name : rename(value.replace("#/$defs/", "")));
  }) as Json;
}

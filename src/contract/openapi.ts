import * as z from "zod/mini";
import { errorEnvelope, errorStatus, operationErrors, type ErrorCode } from "./errors.ts";
import { docs } from "./fields.ts";
import type { Contract, Schema } from "./operation.ts";

type Json = Record<string, unknown>;

/** An OpenAPI 3.1 document; its type says no more than JSON does. */
export type OpenApiDocument = Record<string, unknown>;

/** The OpenAPI 3.1 document of these operations, made of the schemas that validate them. */
export function toOpenApi(contracts: readonly Contract[], version: string): OpenApiDocument {
  const components = new Components();
  const error = components.describe(errorEnvelope, "output");
  const paths: Record<string, Json> = {};
  for (const contract of contracts) {
    const path = paths[contract.path] ?? {};
    path[contract.method.toLowerCase()] = toOperation(contract, components, error);
    paths[contract.path] = path;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "API-key management",
      version,
      description: "What latchkey emulates of the service's v1 interface.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "http://localhost:4010" }],
    security: [{ rootToken: [] }],
    paths,
    components: {
      securitySchemes: { rootToken: { type: "http", scheme: "bearer" } },
      schemas: components.schemas,
    },
  };
}

function toOperation(contract: Contract, components: Components, error: Json): Json {
  const { errors = operationErrors, input, method, name, output, summary = name } = contract;
  const [group = ""] = name.split(".");
  return {
    operationId: name,
    summary,
    tags: [group],
    ...(method === "GET"
      ? { parameters: toParameters(components.describe(input, "input")) }
      : { requestBody: { required: true, content: json(components.describe(input, "input")) } }),
    responses: {
      "200": { description: "Done.", content: json(components.describe(output, "output")) },
      ...toErrorResponses(errors, error),
      ...(method === "POST"
        ? { "413": { description: "BAD_REQUEST: a body over 1 MiB", content: json(error) } }
        : {}),
    },
  };
}

function toParameters(query: Json): Json[] {
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
  const byStatus = new Map<number, string[]>();
  for (const code of errors) {
    const status = errorStatus[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      { description: codes.join(", "), content: json(error) },
    ]),
  );
}

function json(schema: Json): Json {
  return { "application/json": { schema } };
}

/** Schemas with an id are kept once and referred to. */
class Components {
  readonly schemas: Record<string, Json> = {};

  /** A schema: in place, or as a reference where it has an id. What it refers to is kept. */
  describe(schema: Schema, io: "input" | "output"): Json {
    const json = z.toJSONSchema(schema as z.core.$ZodType, {
      metadata: docs,
      io,
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema }) => {
        // zod drops the default of what it transforms, because it may be of the other type.
        const { default: fallback } = docs.get(zodSchema) ?? {};
        if (fallback !== undefined) jsonSchema.default = fallback as number;
        // Where `.describe()` of a user's schema puts its text.
        const { description } = z.globalRegistry.get(zodSchema) ?? {};
        if (description !== undefined) jsonSchema.description ??= description;
        // Neither side of the interface refuses members that the other does not know.
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      },
    });
    const text = JSON.stringify(json).replaceAll("#/$defs/", "#/components/schemas/");
    const { $schema: _, $defs = {}, ...described } = JSON.parse(text) as Json & { $defs?: Json };
    Object.assign(this.schemas, $defs);
    return described;
  }
}

import type * as z from "zod/mini";
import * as f from "../../schema/fields.ts";
import type { Json } from "../../schema/json-schema.ts";
import { Components, headersOf, json, type VersionDocument } from "./answers.ts";
import type { ServedContract } from "../operation.ts";
import { v1Document } from "./v1.ts";
import { v2Document } from "./v2.ts";
import type { VersionName } from "../version.ts";

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = Record<string, unknown>;

const documents: Readonly<Record<VersionName, VersionDocument>> = {
  v1: v1Document,
  v2: v2Document,
};

/**
 * The OpenAPI 3.1 document of the operations of one version of the interface, generated from the
 * schemas that validate their input.
 * @param all operations of any version
 * @param version the version that the document describes
 */
export function toOpenApi(
  all: readonly ServedContract[],
  version: string,
  interfaceName: VersionName,
): OpenApiDocument {
  const parts = documents[interfaceName];
  const contracts = all.filter((contract) => contract.version === interfaceName);
  const components = new Components();
  const refusal = components.describe(parts.refusal, "output", "refusal");
  const paths: Record<string, Json> = {};
  for (const contract of contracts) {
    const path = (paths[contract.path] ??= {});
    path[contract.method.toLowerCase()] = toOperation(contract, components, { parts, refusal });
  }
  return {
    ...documentHead({ title: "API-key management", version, description: parts.description }),
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
      headers: parts.headers,
      schemas: components.schemas,
    },
  };
}

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

/** The published interface has operations of the first two groups only. */
const groupDescriptions: Readonly<Record<string, string>> = {
  keys: "Single API keys.",
  apis: "APIs, and the keys that belong to them.",
  permissions: "Permissions and roles of keys.",
  identities: "The users and machines that keys belong to.",
  ratelimit: "Rate limits that belong to no key.",
  ratelimits: "Rate limits that belong to no key.",
  analytics: "How often keys are used.",
  migrations: "Keys from other systems.",
};

function toTags(contracts: readonly ServedContract[]): Json[] {
  const names = new Set(contracts.map(groupOf));
  return [...names].map((name) => ({
    name,
    description: groupDescriptions[name] ?? `Operations of the group \`${name}\`.`,
  }));
}

function groupOf({ name }: ServedContract): string {
  return name.split(".")[0] ?? "";
}

function toOperation(
  contract: ServedContract,
  components: Components,
  { parts, refusal }: { readonly parts: VersionDocument; readonly refusal: Json },
): Json {
  const { input, method, name, output, summary = name } = contract;
  const { description = summary } = contract;
  const body = parts.toBody(components.describe(output, "output", `${name}.result`), components);
  return {
    operationId: name,
    summary,
    description,
    tags: [groupOf(contract)],
    ...(method === "GET"
      ? { parameters: toParameters(components.describe(input, "input", `${name}.query`)) }
      : toRequestBody(components.describe(input, "input", `${name}.body`))),
    responses: {
      "200": {
        description: f.docs.get(output as z.core.$ZodType)?.["description"] ?? "Done.",
        ...headersOf(parts.answerHeaders),
        content: json(body),
      },
      ...parts.toRefusals(contract, refusal),
    },
  };
}

export function toRequestBody(schema: Json): Json {
  return { requestBody: { required: true, content: json(schema) } };
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

import { type Json, toJsonSchema } from "../../schema/json-schema.ts";
import type { Schema } from "../../schema/schema.ts";
import type { ServedContract } from "../operation.ts";
import type * as z from "zod/mini";

export const EXAMPLE_REQUEST_ID = "req_1Gkhd5S6xJwpqYJ3";

/** What differs between the documents of the versions of the interface. */
export interface VersionDocument {
  readonly description: string;
  readonly headers: Json;
  readonly answerHeaders: readonly string[];
  readonly refusal: Schema;
  /** Describes the body of a reply. `described` is the result of the operation. */
  toBody(described: Json, components: Components): Json;
  /** The responses of a refused call, by status. `body` describes the body of a refusal. */
  toRefusals(contract: ServedContract, body: Json): Record<string, Json>;
}

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

/** An OpenAPI response for a refusal. `names` are headers that it has with every status. */
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

export function headersOf(names: readonly string[]): Json {
  if (names.length === 0) return {};
  const toReference = (name: string) => [name, { $ref: `#/components/headers/${name}` }];
  return { headers: Object.fromEntries(names.map(toReference)) };
}

export function json(schema: Json, example?: unknown): { readonly "application/json": Json } {
  return { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
}

/** Collects `components.schemas` of a document: schemas with an id, and recursive ones. */
export class Components {
  readonly schemas: Record<string, Json> = {};

  /**
   * Describes a schema. A schema with an id becomes a component, and the description refers to it. A
   * recursive schema without an id becomes a component with the name `<name>.schema0` and so on.
   */
  describe(schema: Schema, io: "input" | "output", name: string): Json {
    const json = toJsonSchema(schema as z.core.$ZodType, io);
    // zod gives schemas without an id the names `__schema0` and so on.
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

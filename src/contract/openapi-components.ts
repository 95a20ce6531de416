import type * as z from "zod/mini";
import { toJsonSchema, type Json } from "../schema/json-schema.ts";
import type { Schema } from "../schema/schema.ts";

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

import * as z from "zod/mini";
import { docs } from "./fields.ts";

export type Json = Record<string, unknown>;

/**
 * The JSON Schema of a zod schema, with the descriptions and defaults that it is registered with.
 * Members that an object does not name are refused where `isClosed`.
 */
export function toJsonSchema(
  schema: z.core.$ZodType,
  io: "input" | "output",
  { isClosed = false }: { readonly isClosed?: boolean } = {},
): Json {
  return z.toJSONSchema(schema, {
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
      // Only a schema that is strict itself refuses members that it does not know.
      if (!isPlainObject(zodSchema)) return;
      if (isClosed) jsonSchema.additionalProperties = false;
      else delete jsonSchema.additionalProperties;
    },
  }) as Json;
}

function isPlainObject({ _zod: { def } }: z.core.$ZodTypes): boolean {
  return def.type === "object" && def.catchall === undefined;
}

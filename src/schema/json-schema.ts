import * as z from "zod/mini";
import { docs } from "./fields.ts";

export type Json = Record<string, unknown>;

/**
 * The JSON Schema of a zod schema, with the descriptions and keywords from `docs`. With `isClosed`,
 * objects refuse members that they do not name.
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
      // zod drops the default of a schema with a transform, because it may not be a valid input:
      // https://github.com/colinhacks/zod/issues/6049
      const { default: fallback } = docs.get(zodSchema) ?? {};
      if (fallback !== undefined) jsonSchema.default = fallback as number;
      // `.describe()` on a user's schema stores its text in the global registry.
      const { description } = z.globalRegistry.get(zodSchema) ?? {};
      if (description !== undefined) jsonSchema.description ??= description;
      // zod closes every object in output schemas, although only strict objects refuse members.
      if (!isPlainObject(zodSchema)) return;
      if (isClosed) jsonSchema.additionalProperties = false;
      else delete jsonSchema.additionalProperties;
    },
  }) as Json;
}

function isPlainObject({ _zod: { def } }: z.core.$ZodTypes): boolean {
  return def.type === "object" && def.catchall === undefined;
}

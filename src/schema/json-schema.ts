import * as z from "zod/mini";
import * as f from "./fields.ts";

export type Json = Record<string, unknown>;

/**
 * The JSON Schema of a zod schema, with the descriptions and keywords from `docs`. With `isClosed`,
 * objects refuse unknown members.
 */
export function toJsonSchema(
  schema: z.core.$ZodType,
  io: "input" | "output",
  { isClosed = false }: { readonly isClosed?: boolean } = {},
): Json {
  const json = z.toJSONSchema(schema, {
    metadata: f.docs,
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      // zod drops the default of a schema with a transform, because it may not be a valid input:
      // https://github.com/colinhacks/zod/issues/6049
      const { default: fallback } = f.docs.get(zodSchema) ?? {};
      if (fallback !== undefined) jsonSchema.default = fallback as number;
      // `.describe()` on a user's schema stores its text in the global registry.
      const { description } = z.globalRegistry.get(zodSchema) ?? {};
      if (description !== undefined) jsonSchema.description ??= description;
      const { def } = zodSchema._zod;
      if (def.type === "number" && f.isInteger(def)) jsonSchema.type = "integer";
      // zod closes every object in output schemas, although only strict objects refuse members.
      if (def.type !== "object" || def.catchall !== undefined) return;
      if (isClosed) jsonSchema.additionalProperties = false;
      else delete jsonSchema.additionalProperties;
    },
  });
  return withNullTypes(json) as Json;
}

/** Writes `{ "type": ["integer", "null"] }` for what zod writes as `anyOf` of the two types. */
function withNullTypes(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(withNullTypes);
  const entries = Object.entries(json).map(([name, value]) => [name, withNullTypes(value)]);
  const { anyOf, ...rest } = Object.fromEntries(entries) as Json;
  const [first, second, ...more] = (anyOf ?? []) as Json[];
  const isSimple = typeof first?.["type"] === "string" && first["enum"] === undefined;
  if (isSimple && second?.["type"] === "null" && more.length === 0) {
    return { ...first, ...rest, type: [first["type"], "null"] };
  }
  return anyOf === undefined ? rest : { ...rest, anyOf };
}

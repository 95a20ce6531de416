import type * as z from "zod/mini";

/** The inner schema, without wrappers that only add values or defaults: optional, nullable, … */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  switch (def.type) {
    case "optional":
    case "nonoptional":
    case "nullable":
    case "readonly":
    case "default":
    case "prefault":
    case "catch":
      return unwrap(def.innerType);
    default:
      return schema;
  }
}

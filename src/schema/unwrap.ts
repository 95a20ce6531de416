import type * as z from "zod/mini";

/** The schema within those that only say what may stand in its place. */
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

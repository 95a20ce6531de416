import type * as z from "zod/mini";

/** The inner schema, without wrappers like optional, nullable and default. */
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

export function isNullable(schema: z.core.$ZodType): boolean {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  switch (def.type) {
    case "nullable":
    case "catch":
      return true;
    case "optional":
    case "nonoptional":
    case "readonly":
    case "default":
    case "prefault":
      return isNullable(def.innerType);
    default:
      return false;
  }
}

/** Whether an object schema ignores or refuses unknown members. Other object schemas read them. */
export function isPlainOrClosed({ catchall }: z.core.$ZodObjectDef): boolean {
  return catchall === undefined || catchall._zod.def.type === "never";
}

export function isInteger(def: z.core.$ZodNumberDef): boolean {
  return "format" in def && def.format === "safeint";
}

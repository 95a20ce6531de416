import * as z from "zod/mini";
import * as f from "./fields.ts";

/** The same object in a query, where numbers and flags are text. */
export function queryOf<Shape extends z.core.$ZodShape>(object: z.ZodMiniObject<Shape>) {
  const members = Object.entries(object.shape).map(([name, member]) => {
    const inner = f.unwrap(member) as z.ZodMiniType<unknown, unknown>;
    const read = readers[inner._zod.def.type];
    return [name, read === undefined ? member : z.optional(z.pipe(z.transform(read), inner))];
  });
  return f.objectOf(Object.fromEntries(members) as Shape);
}

/** What texts mean, by the type of a schema. The schema refuses other texts. */
const readers: Readonly<Record<string, (text: unknown) => unknown>> = {
  boolean: (text) => (text === "true" || text === "false" ? text === "true" : text),
  number: (text) => (/^\d{1,9}$/.test(String(text)) ? Number(text) : text),
};

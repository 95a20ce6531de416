import { toJsonSchema } from "../schema/json-schema.ts";
import { fixture } from "./format.ts";

/** The JSON Schema of fixtures, which lets editors complete and check fixture files. */
export function fixtureJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = toJsonSchema(fixture(), "input", { isClosed: true });
  return { $schema, title: "A fixture of latchkey", ...rest };
}

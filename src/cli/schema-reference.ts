import { dirname, relative, resolve, sep } from "node:path";

const SCHEMA = "node_modules/latchkey/fixtures/fixture.schema.json";

/**
 * The relative path from a fixture file to the JSON Schema of fixtures in `node_modules`, for editors. It
 * is right if latchkey is installed in the current folder.
 */
export function schemaReference(file = "."): string {
  const folder = file === "." ? resolve(".") : dirname(resolve(file));
  const path = relative(folder, resolve(SCHEMA)).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
}

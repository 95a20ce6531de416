import { dirname, relative, resolve, sep } from "node:path";

const SCHEMA = "node_modules/latchkey/fixtures/fixture.schema.json";

/** What names the JSON Schema in a fixture at this place, where latchkey is installed beside it. */
export function schemaReference(file = "."): string {
  const folder = file === "." ? resolve(".") : dirname(resolve(file));
  const path = relative(folder, resolve(SCHEMA)).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
}

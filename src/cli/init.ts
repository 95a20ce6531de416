import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { UsageError } from "../usage-error.ts";
import { schemaReference } from "./schema-reference.ts";
import { writeNew } from "./files/write-new.ts";

const DEFAULT_FILE = "latchkey.yaml";
const STARTER = new URL("../../fixtures/starter.yaml", import.meta.url);

/**
 * Writes a commented fixture to start from.
 * @returns the exit code
 * @throws UsageError for a name that does not end in .yaml or .yml, and for a file that exists
 */
export async function runInit(file = DEFAULT_FILE): Promise<number> {
  if (![".yaml", ".yml"].includes(extname(file).toLowerCase())) {
    throw new UsageError(`init: ${file}: expected a name that ends in .yaml or .yml`);
  }
  const starter = await readFile(STARTER, "utf8");
  // Most editors read the schema from the comment, some from the member `$schema`.
  const reference = schemaReference(file);
  const head = `# yaml-language-server: $schema=${reference}\n$schema: ${reference}\n\n`;
  await writeNew(file, head + starter);
  process.stdout.write(`wrote ${file}; start with: npx latchkey --fixture ${file}\n`);
  return 0;
}

import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { UsageError } from "../usage-error.ts";
import { schemaReference } from "./schema-reference.ts";
import { writeNew } from "./files/write-new.ts";

const DEFAULT_FILE = "latchkey.yaml";
const STARTER = new URL("../../fixtures/starter.yaml", import.meta.url);

/**
 * Writes a commented fixture to start from.
 * @throws UsageError for a name that is not YAML's, and for a file that is there already
 */
export async function runInit(file = DEFAULT_FILE): Promise<number> {
  if (![".yaml", ".yml"].includes(extname(file).toLowerCase())) {
    throw new UsageError(`init: ${file}: expected a name that ends in .yaml or .yml`);
  }
  const starter = await readFile(STARTER, "utf8");
  // Most editors look for the comment, some for the member.
  const reference = schemaReference(file);
  const head = `# yaml-language-server: $schema=${reference}\n$schema: ${reference}\n\n`;
  await writeNew(file, head + starter);
  process.stdout.write(`wrote ${file}; start with: npx latchkey --fixture ${file}\n`);
  return 0;
}

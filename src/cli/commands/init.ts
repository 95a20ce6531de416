import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { formatOf } from "../../seed/files.ts";
import { UsageError } from "../../base/usage-error.ts";
import { fileFailure, schemaReference, writeNew } from "../files/write-new.ts";
import { requireFile } from "../require-file.ts";

const DEFAULT_FILE = "latchkey.yaml";

/**
 * Writes a first fixture with comments, and makes its folder if there is none.
 * @returns the exit code
 * @throws UsageError for a name that does not end in .yaml or .yml, for a file that exists, and for a
 *   folder that cannot be made
 */
export async function runInit(file = DEFAULT_FILE): Promise<number> {
  if (formatOf(file) !== "yaml") {
    throw new UsageError(`init: ${file}: expected a name that ends in .yaml or .yml`);
  }
  const starter = await readFile(requireFile("fixtures/starter.yaml", "init"), "utf8");
  // Most editors read the schema from the comment, some from the member `$schema`.
  const reference = schemaReference(file);
  const head = `# yaml-language-server: $schema=${reference}\n$schema: ${reference}\n\n`;
  const folder = dirname(file);
  const made = (await makeFolder(folder)) ? `made the folder ${folder}; ` : "";
  await writeNew(file, head + starter);
  process.stdout.write(
    `${made}wrote ${file}; start with: npx --no-install latchkey --fixture ${file}\n`,
  );
  return 0;
}

/** Resolves to whether it was missing. */
async function makeFolder(folder: string): Promise<boolean> {
  try {
    return (await mkdir(folder, { recursive: true })) !== undefined;
  } catch (error) {
    throw new UsageError(`init: ${folder}: ${fileFailure(error)}`, { cause: error });
  }
}

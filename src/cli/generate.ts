import { extname } from "node:path";
import { createEmulator } from "../emulator/emulator.ts";
import type { Fixture } from "../seeding/fixtures/format.ts";
import { toJsonText } from "../seeding/fixtures/text.ts";
import { UsageError } from "../usage-error.ts";
import { generateOptions } from "./options.ts";
import { createProgress } from "./progress.ts";
import { readFlags } from "./read-options.ts";
import { schemaReference } from "./schema-reference.ts";
import { writeNew } from "./write-new.ts";

const DEFAULT_COUNT = 100;
const DEFAULT_API = "api_local";

/**
 * Writes a fixture of made-up keys.
 * @throws UsageError for options, and for a file that cannot be written
 */
export async function runGenerate(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const { options, lines } = readFlags(flags, generateOptions);
  if (lines.length > 0) throw new UsageError(lines);
  const { api = [DEFAULT_API], count = DEFAULT_COUNT, format, now, out, randomSeed } = options;
  const progress = createProgress();
  const emulator = await createEmulator({
    fixtures: [{ apis: api.map(toApi) }],
    generate: { count },
    randomSeed,
    now,
    onProgress: progress.tell,
  });
  progress.end();
  // Without where ids go on, it is a fixture like any that a person writes.
  const { snapshot: _, workspace: __, ...rest } = emulator.snapshot();
  const fixture: Fixture = { $schema: schemaReference(out), ...rest };
  const text = await encode(fixture, format ?? formatOf(out));
  if (out === undefined) for (const piece of text) process.stdout.write(piece);
  else await writeNew(out, Buffer.concat(Array.from(text, (piece) => Buffer.from(piece))));
  return 0;
}

function toApi(id: string) {
  const words = id.replace(/^api_/, "").split(/[_-]+/).filter(Boolean);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
  return { id, ...(name === "" ? {} : { name }), storeEncryptedKeys: true };
}

function formatOf(out = ""): string {
  return [".yaml", ".yml"].includes(extname(out).toLowerCase()) ? "yaml" : "json";
}

async function encode(fixture: Fixture, format: string): Promise<Iterable<string>> {
  if (format === "json") return toJsonText(fixture);
  const { stringify } = await import("yaml");
  // References would save a few lines, and nobody could read them.
  return [stringify(fixture, { aliasDuplicateObjects: false, lineWidth: 100 })];
}

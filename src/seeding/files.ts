import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { problemLine } from "../schema/problem-line.ts";
import { UsageError } from "../usage-error.ts";
import { nameFixture } from "./fixtures/source.ts";
import type { Fixture } from "./fixtures/format.ts";

/**
 * Reads a fixture file, JSON or YAML by its ending. What it holds is checked when an emulator is
 * made of it; messages then name the file.
 * @throws UsageError for a file that cannot be read or is not well-formed
 */
export async function readFixtureFile(path: string | URL): Promise<Fixture> {
  const file = typeof path === "string" ? path : fileURLToPath(path);
  const fixture = await readDataFile(file);
  if (typeof fixture !== "object" || fixture === null || Array.isArray(fixture)) {
    const expected = "expected an object";
    throw new UsageError(problemLine(file, { path: [], expected, value: fixture }));
  }
  return nameFixture(fixture as Fixture, file);
}

/** @throws UsageError for a file that cannot be read or is not well-formed */
export async function readDataFile(file: string): Promise<unknown> {
  const parse = parsers.get(extname(file).toLowerCase());
  if (parse === undefined) {
    throw new UsageError(`${file}: expected a name that ends in .json, .yaml or .yml`);
  }
  return parse(file, decode(file, await read(file)));
}

type Parse = (file: string, text: string) => unknown;

const parsers: ReadonlyMap<string, Parse> = new Map([
  [".json", parseJson],
  [".yaml", parseYaml],
  [".yml", parseYaml],
]);

async function read(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const reasons: Record<string, string> = {
      ENOENT: "there is no such file",
      EISDIR: "it is a folder",
      EACCES: "it may not be read",
    };
    const code = (error as NodeJS.ErrnoException).code ?? "";
    throw new UsageError(`${file}: ${reasons[code] ?? `it cannot be read (${code})`}`, {
      cause: error,
    });
  }
}

async function parseJson(file: string, text: string): Promise<unknown> {
  if (text.trim() === "") throw new UsageError(`${file}: not well-formed JSON: it is empty`);
  try {
    return JSON.parse(text);
  } catch (error) {
    // The engine's message quotes the text, which may be a secret; only the place is told.
    const offset = / at position (\d+)/.exec((error as Error).message)?.[1];
    const place = offset === undefined ? await findBreak(text) : whereIn(text, Number(offset));
    throw new UsageError(`${file}: not well-formed JSON${place}`);
  }
}

/** Not every engine tells where JSON breaks; as YAML, which JSON is, it breaks at the same place. */
async function findBreak(text: string): Promise<string> {
  const { parseDocument } = await import("yaml");
  const [error] = parseDocument(text, { prettyErrors: false }).errors;
  if (error !== undefined) return whereIn(text, error.pos[0]);
  return "; as YAML it is, so a comma, quote or comment may be out of place";
}

function whereIn(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return ` at line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
}

async function parseYaml(file: string, text: string): Promise<unknown> {
  // Loaded when it is needed: most starts read JSON or nothing.
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { merge: true, prettyErrors: false, logLevel: "error" });
  if (document.errors.length > 0) {
    // The library's messages quote the text, which may be a secret; its codes do not.
    throw new UsageError(
      document.errors.map(({ code, pos }) => {
        const problem = code.toLowerCase().replaceAll("_", " ");
        return `${file}: not well-formed YAML${whereIn(text, pos[0])}: ${problem}`;
      }),
    );
  }
  try {
    return document.toJS();
  } catch (cause) {
    const isExcessive = (cause as Error).message.includes("Excessive");
    const problem = isExcessive ? "too many aliases of aliases" : "an alias without its anchor";
    throw new UsageError(`${file}: not well-formed YAML: ${problem}`);
  }
}

function decode(file: string, bytes: Uint8Array): string {
  try {
    // A byte order mark is left out.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${file}: expected UTF-8 text`);
  }
}

import { existsSync, type Stats } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Document } from "yaml";
import { isRecord } from "../base/json.ts";
import { atOnce } from "../base/steps.ts";
import { kindOf, problemLine } from "../schema/problems.ts";
import { throwLines, UsageError } from "../base/usage-error.ts";
import { nameFixture, readParts } from "./read.ts";
import type { Fixture } from "./format.ts";

/**
 * Reads a fixture file. Its extension selects JSON (`.json`) or YAML (`.yaml`, `.yml`). The content is
 * validated later, when an emulator is created with it. Errors then name the file too.
 * @throws UsageError if the file cannot be read, is not well-formed or contains no object
 */
export async function readFixtureFile(path: string | URL): Promise<Fixture> {
  const file = typeof path === "string" ? path : fileURLToPath(path);
  const fixture = await readDataFile(file);
  if (typeof fixture !== "object" || fixture === null || Array.isArray(fixture)) {
    throw new UsageError(`${file}: expected an object, got ${kindOf(fixture)}`);
  }
  return nameFixture(fixture as Fixture, file);
}

/** @throws UsageError if the file cannot be read or is not well-formed */
export async function readDataFile(file: string): Promise<unknown> {
  if (formatOf(file) === undefined) throw new UsageError(`${file}: ${EXPECTED_NAME}`);
  return parseDataFile(file, await readText(file));
}

/** @throws UsageError if it is no file of UTF-8 text, or cannot be read */
export async function readText(file: string): Promise<string> {
  return decode(file, await readBytes(file));
}

/** @throws UsageError if the text is not well-formed */
export function parseDataFile(file: string, text: string): Promise<unknown> {
  return formatOf(file) === "json" ? parseJsonFile(file, text) : parseYamlFile(file, text);
}

export const EXPECTED_NAME = "expected a name that ends in .json, .yaml or .yml";

/** The format that the extension of a file stands for; undefined for any other extension. */
export function formatOf(file: string): "json" | "yaml" | undefined {
  const extension = extname(file).toLowerCase();
  if (extension === ".json") return "json";
  return extension === ".yaml" || extension === ".yml" ? "yaml" : undefined;
}

/** @throws UsageError if it is no file, or cannot be read */
export async function readBytes(file: string): Promise<Uint8Array> {
  try {
    const kind = specialKindOf(await stat(file));
    // A pipe makes the reader wait for a writer, and some devices never end.
    if (kind !== undefined) throw new UsageError(`${file}: expected a regular file, got ${kind}`);
    return await readFile(file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reasons: Record<string, string> = {
      ENOENT: `there is no such file${packagedNote(file)}`,
      EISDIR: "it is a folder",
      ELOOP: "its symbolic links lead in a circle",
      EACCES: "there is no permission to read it",
    };
    const code = (error as NodeJS.ErrnoException).code ?? "";
    throw new UsageError(`${file}: ${reasons[code] ?? `it cannot be read (${code})`}`, {
      cause: error,
    });
  }
}

/** The docs name files of the package by their paths in the repository, like `fixtures/demo.yaml`. */
function packagedNote(file: string): string {
  const packaged = `node_modules/latchkey/${file}`;
  return existsSync(packaged) ? `; did you mean ${packaged}?` : "";
}

function specialKindOf(stats: Stats): string | undefined {
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return stats.isCharacterDevice() || stats.isBlockDevice() ? "a device" : undefined;
}

async function parseJsonFile(file: string, text: string): Promise<unknown> {
  if (text.trim() === "") throw new UsageError(`${file}: not well-formed JSON: it is empty`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Only the position is reported: the engine's message quotes the text, which may hold secrets.
    const offset = / at position (\d+)/.exec((error as Error).message)?.[1];
    const position =
      offset === undefined ? await findSyntaxError(text) : positionAt(text, Number(offset));
    throw new UsageError(`${file}: not well-formed JSON${position}`);
  }
  if (isRecord(value) && value["snapshot"] !== undefined) return value;
  // `JSON.parse` keeps the last of two members with one name. The parser of YAML knows where they are.
  if (namesIn(text) > membersIn(value)) {
    const { parseDocument } = await import("yaml");
    throwLines(await problemsOf(parseDocument(text, { uniqueKeys: false }), file));
  }
  return value;
}

/**
 * Counts the names of members in the text of a JSON value: strings with a colon after them. A pattern for
 * strings would overflow V8's stack at millions of escapes.
 */
function namesIn(text: string): number {
  const colon = /\s*:/y;
  let [count, end] = [0, -1];
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return count;
    do end = text.indexOf('"', end + 1);
    while (isEscaped(text, end));
    colon.lastIndex = end + 1;
    if (colon.test(text)) count += 1;
  }
}

function isEscaped(text: string, index: number): boolean {
  let slashes = 0;
  while (text[index - 1 - slashes] === "\\") slashes += 1;
  return slashes % 2 === 1;
}

/** Counts the members of a JSON value at every depth. */
function membersIn(value: unknown): number {
  const left: unknown[] = [[value]];
  let count = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const members: unknown[] = Object.values(next as object);
    if (!Array.isArray(next)) count += members.length;
    for (const member of members)
      if (typeof member === "object" && member !== null) left.push(member);
  }
  return count;
}

/** Tags of values that JSON can hold, and of times. */
const KNOWN_TAG = /^tag:yaml\.org,2002:(?:bool|float|int|map|merge|null|seq|str|timestamp)$/;

/** A line for each member that an object has twice, and for each tag that no fixture can have. */
async function problemsOf(document: Document, file: string): Promise<string[]> {
  const { isMap, isPair, isScalar, isSeq, visit } = await import("yaml");
  const lines: string[] = [];
  const nameOf = (key: unknown) => String(isScalar(key) ? key.value : key);
  visit(document, (_, node, ancestors) => {
    const place = (): PropertyKey[] => {
      const nodes = [...ancestors, node];
      return nodes.flatMap((each, index): PropertyKey[] => {
        if (isPair(each)) return [nameOf(each.key)];
        const item = nodes[index + 1];
        return isSeq(each) && item !== undefined ? [each.items.indexOf(item)] : [];
      });
    };
    const tag = (node as { readonly tag?: string } | null)?.tag;
    if (tag !== undefined && !KNOWN_TAG.test(tag)) {
      const expected = "expected a value of JSON, without another tag of YAML";
      lines.push(problemLine(file, { path: place(), expected }));
    }
    if (!isMap(node)) return;
    const names = new Set<string>();
    for (const { key } of node.items) {
      const name = nameOf(key);
      const expected = "expected this member once, got it twice";
      if (names.has(name) && name !== "<<")
        lines.push(problemLine(file, { path: [...place(), name], expected }));
      names.add(name);
    }
  });
  return lines;
}

/**
 * Finds the syntax error of JSON with the YAML parser, because some messages of `JSON.parse` have no
 * position. JSON is a subset of YAML, so the position is the same.
 */
async function findSyntaxError(text: string): Promise<string> {
  const { parseDocument } = await import("yaml");
  const [error] = parseDocument(text, { prettyErrors: false }).errors;
  if (error !== undefined) return positionAt(text, error.pos[0]);
  return "; it is valid YAML, so look for a misplaced comma, quote or comment";
}

function positionAt(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return ` at line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
}

async function parseYamlFile(file: string, text: string): Promise<unknown> {
  // Loaded on demand, because most starts read JSON or no file.
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { merge: true, prettyErrors: false, logLevel: "error" });
  // After the first error, the library reports errors everywhere.
  const [error] = document.errors;
  if (error !== undefined) {
    const { code, pos } = error;
    // Only the code is reported: the library's messages quote the text, which may hold secrets.
    const problem = code.toLowerCase().replaceAll("_", " ");
    const advice = code.endsWith("IMPLICIT_KEY") ? "; look for a missing colon" : "";
    const place = positionAt(text, pos[0]);
    throw new UsageError(`${file}: not well-formed YAML${place}: ${problem}${advice}`);
  }
  throwLines(await problemsOf(document, file));
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
    // The decoder removes a byte order mark.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${file}: expected UTF-8 text`);
  }
}

/**
 * Reads fixture files. If one cannot be read, the format of the others is still checked, so that one
 * run reports as much as possible. Their references are not checked then, because what they refer to
 * may be in the missing file.
 * @throws UsageError with the problems of all files
 */
export async function readFixtureFiles(files: readonly string[]): Promise<Fixture[]> {
  const fixtures: Fixture[] = [];
  const lines: string[] = [];
  for (const result of await Promise.allSettled(files.map(readFixtureFile))) {
    if (result.status === "fulfilled") fixtures.push(result.value);
    else if (result.reason instanceof UsageError) lines.push(...result.reason.problems);
    else throw result.reason;
  }
  if (lines.length === 0) return fixtures;
  try {
    atOnce(readParts(fixtures));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    lines.push(...error.problems);
  }
  throw new UsageError(lines);
}

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isError, isInstance, thrownText } from "../../base/realm.ts";
import { isRecord } from "../../base/json.ts";
import { throwLines, UsageError } from "../../base/usage-error.ts";
import { operationSchema, ownOperationProblems } from "../../emulator/served-operations.ts";
import type { Operation } from "../../service/operations/own-operation.ts";
import { kindOf, problemLine, readAs } from "../../schema/problems.ts";
import { readBytes } from "../../seed/files.ts";

/** An exported operation, and its place for messages: `operations.js[1]` in a list. */
interface Loaded {
  readonly operation: unknown;
  readonly place: string;
}

/**
 * Loads modules whose default export is an operation or a list of operations.
 * @throws UsageError with the problems of all modules
 */
export async function loadOperations(files: readonly string[]): Promise<readonly Operation[]> {
  const loaded: Loaded[] = [];
  const lines: string[] = [];
  for (const file of files) {
    try {
      loaded.push(...operationsIn(file, await load(file)));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      lines.push(...error.problems);
    }
  }
  throwLines([...lines, ...loaded.flatMap(invalidMembers)]);
  const operations = loaded.map(({ operation }) => operation as Operation);
  const placeOf = (index: number) => loaded[index]?.place ?? "";
  const problems = ownOperationProblems(operations, placeOf);
  throwLines(problems.map(({ index, ...problem }) => problemLine(placeOf(index), problem)));
  return operations;
}

function invalidMembers({ operation, place }: Loaded): string[] {
  if (!isRecord(operation) || !("contract" in operation)) {
    const found = typeof operation === "function" ? "a function" : kindOf(operation);
    return [`${place}: expected an operation, made with defineOperation, got ${found}`];
  }
  const { problems, unknown } = readAs(operationSchema(), operation);
  return [...problems, ...unknown].map((problem) => problemLine(place, problem));
}

/** @throws UsageError if the default export is neither an object nor a list */
function operationsIn(file: string, exports: Readonly<Record<string, unknown>>): Loaded[] {
  const given = defaultOf(exports["default"]);
  if (Array.isArray(given)) {
    return given.map((operation, index) => ({ operation, place: `${file}[${index}]` }));
  }
  if (given !== undefined) return [{ operation: given, place: file }];
  const names = Object.keys(exports).filter((name) => name !== "default");
  const advice = names.length === 0 ? "" : `, like \`export default [${names.join(", ")}];\``;
  throw new UsageError(
    `${file}: expected a default export, an operation or a list of operations${advice}`,
  );
}

/** A compiler that turns an ES module into CommonJS puts the default export into a member. */
function defaultOf(exported: unknown): unknown {
  return isRecord(exported) && exported["__esModule"] === true ? exported["default"] : exported;
}

const MODULE = /\.[cm]?[jt]s$/;

/** @throws UsageError if the file is no module that Node.js can load, or throws while it is loaded */
async function load(file: string): Promise<Readonly<Record<string, unknown>>> {
  if (!MODULE.test(file)) {
    throw new UsageError(`${file}: expected a module, with a name that ends in .js, .mjs or .cjs`);
  }
  // Refuses unreadable files with the same messages as for fixtures.
  await readBytes(file);
  const path = resolve(file);
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`${file}${loadFailure(error, path)}`, { cause: error });
  }
}

/** Why a module was not loaded, as the end of a line that begins with its name. */
function loadFailure(error: unknown, path: string): string {
  const { code, stack = "" } = isError(error) ? (error as NodeJS.ErrnoException) : {};
  const [text = ""] = thrownText(error).split("\n");
  if (code === "ERR_UNKNOWN_FILE_EXTENSION" && /"\.[cm]?ts"/.test(text)) {
    return `: Node.js ${process.versions.node} does not load TypeScript; name the JavaScript file that your build writes, or use Node.js 22.18 or later`;
  }
  // A stack names an ES module by its URL, and a CommonJS module by its path.
  const line = Number.parseInt(stack.split(`${path}:`)[1] ?? "", 10);
  const place = Number.isNaN(line) ? "" : `:${line}`;
  return `${place}: it cannot be loaded: ${text}${adviceOn(error, text, place)}`;
}

function adviceOn(error: unknown, text: string, place: string): string {
  if (text.includes("Cannot find package")) return "; install it in the project of this file";
  // Node.js knows the line, but shows it only where nothing catches the error.
  const isHidden = place === "" && isInstance(error, SyntaxError);
  return isHidden ? "; to see where, run it with `node`" : "";
}

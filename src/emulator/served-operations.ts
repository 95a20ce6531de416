import * as z from "zod/mini";
import { errorCodes } from "../api/errors.ts";
import { isSameOperation } from "../api/operation.ts";
import { quirkNames, type Quirks } from "../api/quirks.ts";
import { versionAt, versionNames } from "../api/version.ts";
import { lazily } from "../base/lazily.ts";
import * as f from "../schema/fields.ts";
import { below, type Problem } from "../schema/problems.ts";
import type { Operation } from "../service/operations/operation.ts";
import {
  toOperation,
  type Operation as OwnOperation,
} from "../service/operations/own-operation.ts";
import { operationsOf as builtInOperations } from "../service/operations/table.ts";
import { isControlPath } from "../service/request.ts";

// The operations that are served: built-in ones and users'.

const NAME = /^[A-Za-z][A-Za-z0-9]*\.[A-Za-z][A-Za-z0-9]*$/;
const nameError = 'expected a name like "keys.deleteKey"';
const pathError =
  "expected a path as it stands in a URL, like /v1/keys.deleteKey, without query or parameters, and neither / nor under /_latchkey, where the web page is";

function schemaOf(kind: "object" | undefined, what: string) {
  return z.custom<z.core.$ZodType>(
    (value) => isSchema(value) && (kind === undefined || value._zod.def.type === kind),
    { error: `expected ${what}, made with zod 4 (or zod/v4)` },
  );
}

function functionOf(what: string) {
  return z.custom((value) => typeof value === "function", {
    error: `expected a function that ${what}`,
  });
}

/** Checks a user's operation, because not all users have TypeScript. */
export const operationSchema = lazily(() =>
  f.objectOf({
    contract: f.objectOf({
      name: z.string({ error: nameError }).check(z.regex(NAME, { error: nameError })),
      method: f.choice(["GET", "POST"]),
      path: z.custom((value) => typeof value === "string" && isPath(value), { error: pathError }),
      version: z.optional(f.choice(versionNames)),
      isReadOnly: z.optional(f.flag()),
      summary: z.optional(f.text()),
      description: z.optional(f.text()),
      input: schemaOf("object", "the schema of an object"),
      output: schemaOf(undefined, "a schema"),
      errors: z.optional(f.listOf(f.choice(errorCodes), "error codes")),
    }),
    state: z.optional(functionOf("returns an object")),
    requires: functionOf("returns the requirements of the call"),
    run: functionOf("runs the operation"),
  }),
);

interface OperationProblem extends Problem {
  readonly index: number;
}

/**
 * Reports users' operations that cannot be served: the name or the path is taken, or the version does
 * not fit.
 * @param placeOf names an operation by its position. Default: as a member of the options
 */
export function ownOperationProblems(
  own: readonly OwnOperation[],
  placeOf = (index: number) => `operations[${index}]`,
): OperationProblem[] {
  const operations = own.map(toOperation);
  const builtIn = builtInsBeside(operations);
  return operations.flatMap(({ contract }, index) => {
    const { name, path, version } = contract;
    const before = operations.slice(0, index);
    const sameName = before.findIndex((other) => isSameOperation(other.contract, contract));
    const samePath = [...before, ...builtIn].find((other) => other.contract.path === path);
    const pathVersion = versionAt(path) ?? version;
    const problems: Problem[] = [];
    if (sameName !== -1) {
      const expected = `duplicate of the name of ${placeOf(sameName)}: ${JSON.stringify(name)}`;
      problems.push({ path: ["name"], expected });
    }
    if (samePath !== undefined) {
      const expected = `duplicate of the path of ${samePath.contract.name}: ${JSON.stringify(path)}`;
      problems.push({ path: ["path"], expected });
    }
    if (pathVersion !== version) {
      const expected = `expected ${pathVersion}, as in the path`;
      problems.push({ path: ["version"], expected, value: version });
    }
    return below(["contract"], problems).map((problem) => ({ ...problem, index }));
  });
}

/**
 * Whether a request can have this path. Clients send the path of a parsed URL, and paths are compared
 * exactly, so a path that a URL parser would change never matches.
 */
export function isPath(text: string): boolean {
  const url = `http://localhost${text}`;
  const isPlain = /^\/./.test(text) && !text.includes("/:") && !isControlPath(text);
  return isPlain && URL.canParse(url) && new URL(url).pathname === text;
}

function isSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === "object" && value !== null && "_zod" in value;
}

/**
 * The operations that are served: users' operations, and the built-in ones that these do not replace.
 * @param given may be invalid. An operation without name or path is left out.
 */
export function servedOperations(given: unknown = [], quirks?: Quirks): readonly Operation[] {
  const all: readonly Partial<OwnOperation>[] = Array.isArray(given) ? given : [];
  const named = all.filter(
    (operation) =>
      typeof operation?.contract?.name === "string" && typeof operation.contract.path === "string",
  ) as OwnOperation[];
  const own = named.map(toOperation);
  return [...builtInsBeside(own, quirks), ...own];
}

/** The built-in operations that users' operations do not replace. */
function builtInsBeside(own: readonly Operation[], quirks?: Quirks): readonly Operation[] {
  return builtInOperations(undefined, quirks).filter(
    ({ contract }) => !own.some((operation) => isSameOperation(operation.contract, contract)),
  );
}

/** Skips unknown names, which the schema reports. */
export function toQuirks(names: readonly string[] | string = []): Quirks {
  const list: readonly unknown[] = [names].flat();
  return new Set(
    list.includes("all") ? quirkNames : quirkNames.filter((name) => list.includes(name)),
  );
}

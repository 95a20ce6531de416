import * as z from "zod/mini";
import { lazily } from "../base/lazily.ts";
import { errorCodes } from "../contract/errors.ts";
import { isSameOperation } from "../contract/operation.ts";
import { versionAt, versionNames } from "../contract/version.ts";
import { choice, flag, listOf, objectOf, text } from "../schema/fields.ts";
import { below, type Problem } from "../schema/problems.ts";
import type { Operation } from "../operations/operation.ts";
import { isControlPath } from "../service/request.ts";

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
  objectOf({
    contract: objectOf({
      name: z.string({ error: nameError }).check(z.regex(NAME, { error: nameError })),
      method: choice(["GET", "POST"]),
      path: z.custom((value) => typeof value === "string" && isPath(value), { error: pathError }),
      version: z.optional(choice(versionNames)),
      isReadOnly: z.optional(flag()),
      summary: z.optional(text()),
      description: z.optional(text()),
      input: schemaOf("object", "the schema of an object"),
      output: schemaOf(undefined, "a schema"),
      errors: z.optional(listOf(choice(errorCodes), "error codes")),
    }),
    state: z.optional(functionOf("returns an object")),
    requires: functionOf("returns the requirements of the call"),
    run: functionOf("runs the operation"),
  }),
);

/** A problem of the user's operation at this position. */
export interface OperationProblem extends Problem {
  readonly index: number;
}

type Described = Pick<Operation, "contract">;

/**
 * Reports users' operations that cannot be served: the name or the path is taken, or the version does
 * not fit.
 * @param builtIn the operations of latchkey that users' operations do not replace
 * @param placeOf names an operation of a user by its position, for messages
 */
export function operationProblems(
  operations: readonly Described[],
  builtIn: readonly Described[],
  placeOf: (index: number) => string,
): OperationProblem[] {
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
function isPath(text: string): boolean {
  const url = `http://localhost${text}`;
  const isPlain = /^\/./.test(text) && !text.includes("/:") && !isControlPath(text);
  return isPlain && URL.canParse(url) && new URL(url).pathname === text;
}

function isSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === "object" && value !== null && "_zod" in value;
}

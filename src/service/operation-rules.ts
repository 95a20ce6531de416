import * as z from "zod/mini";
import { errorCodes } from "../contract/errors.ts";
import { choice, listOf, objectOf, text } from "../schema/fields.ts";
import type { Problem } from "../schema/problems.ts";
import type { Operation } from "../operations/operation.ts";
import { isControlPath } from "./exchange.ts";
import { operations as builtInOperations } from "../operations/table.ts";

const NAME = /^[A-Za-z][A-Za-z0-9]*\.[A-Za-z][A-Za-z0-9]*$/;
const nameError = 'expected a name like "keys.deleteKey"';
const pathError =
  "expected a path as it stands in a URL, like /v1/keys.deleteKey, without query or parameters, and not under /_latchkey";

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

/** Checks an operation that a user passes in, for callers without TypeScript. */
export const operationSchema = objectOf({
  contract: objectOf({
    name: z.string({ error: nameError }).check(z.regex(NAME, { error: nameError })),
    method: choice(["GET", "POST"]),
    path: z.custom((value) => typeof value === "string" && isPath(value), { error: pathError }),
    summary: z.optional(text()),
    description: z.optional(text()),
    input: schemaOf("object", "the schema of an object"),
    output: schemaOf(undefined, "a schema"),
    errors: z.optional(listOf(choice(errorCodes), "error codes")),
  }),
  requires: functionOf("returns the requirements of the call"),
  run: functionOf("runs the operation"),
});

/** Reports operations whose name or path an earlier operation has already. */
export function takenProblems(operations: readonly Operation[]): Problem[] {
  return operations.flatMap((operation, index) =>
    (["name", "path"] as const).flatMap((member) => {
      const value = operation.contract[member];
      const earlier = [...builtInOperations, ...operations.slice(0, index)];
      const taken = earlier.find(({ contract }) => contract[member] === value);
      if (taken === undefined) return [];
      const expected = `expected a value that no other has (${taken.contract.name} has it)`;
      return [{ path: ["operations", index, "contract", member], expected, value }];
    }),
  );
}

/**
 * Whether the path can be matched: clients send the path of a parsed URL, and it is compared exactly,
 * so a path that parsing would change never matches.
 */
function isPath(text: string): boolean {
  const url = `http://localhost${text}`;
  const isPlain = text.startsWith("/") && !text.includes("/:") && !isControlPath(text);
  return isPlain && URL.canParse(url) && new URL(url).pathname === text;
}

function isSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === "object" && value !== null && "_zod" in value;
}

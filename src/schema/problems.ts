import * as z from "zod/mini";
import { pluralize, quoted, unknownName, wholeOrLength } from "../base/wording/text.ts";
import { expectationOf } from "./expectation.ts";
import * as f from "./fields.ts";
import { isRecord } from "../base/json.ts";
import { isSecretName } from "../base/wording/mask.ts";
import { checkNames, throwLines, UsageError } from "../base/usage-error.ts";

/** A part of an input that the schema does not accept. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  /** What is accepted there, like `expected an integer from 16 to 255`. */
  readonly expected: string;
  /** The value found there, undefined if there is none. Without this member, no value is shown. */
  readonly value?: unknown;
  /** `unknown` for a member that does not exist. Default: a wrong value. */
  readonly kind?: "unknown";
}

/** The result of reading an input with a schema. */
export interface Reading<Value> {
  /** The output of the schema; undefined if there are problems. */
  readonly value: Value | undefined;
  /** At most one for each path, in the order of the schema's members. */
  readonly problems: readonly Problem[];
  /** Members that the schema does not name. The caller decides whether to refuse them. */
  readonly unknown: readonly Problem[];
  readonly issues: readonly z.core.$ZodIssue[];
}

/**
 * Reads an input with a schema, and reports all its problems, not only the first.
 * @param parser a faster schema that accepts the same inputs
 */
export function readAs<Schema extends z.core.$ZodType>(
  schema: Schema,
  input: unknown,
  parser = schema,
): Reading<z.output<Schema>> {
  let result = z.safeParse(parser, input);
  // Only a second parse gets an error map, because it would slow down the parse of valid input.
  if (!result.success) result = z.safeParse(schema, input, { error: expectationOf });
  return {
    value: result.data,
    problems: result.success ? [] : toProblems(result.error.issues, input),
    unknown: unknownMembers(schema, input),
    issues: result.error?.issues ?? [],
  };
}

function toProblems(issues: readonly z.core.$ZodIssue[], input: unknown): Problem[] {
  const problems = new Map<string, Problem>();
  for (const issue of issues.flatMap((each) => insideUnion(each, input))) {
    const place = issue.path.map(String).join("\n");
    if (problems.has(place)) continue;
    const problem = { path: issue.path, expected: issue.message };
    // The message for an unknown name shows the name.
    const isShown = issue.message.startsWith("unknown ");
    problems.set(place, isShown ? problem : { ...problem, value: valueAt(input, issue.path) });
  }
  return [...problems.values()];
}

/**
 * The issues of the option that was probably meant: a text, or an object or list that contains a mistake. zod
 * reports one issue, for the whole value.
 */
function insideUnion(issue: z.core.$ZodIssue, input: unknown): readonly z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const isText = typeof valueAt(input, issue.path) === "string";
  const [meant, ...others] = issue.errors.filter((option) =>
    option.some(({ code, path }) => (isText ? code !== "invalid_type" : path.length > 0)),
  );
  if (meant === undefined || others.length > 0) return [issue];
  return meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** Members that an object schema does not name, at every depth that it describes; at most `MAX_UNKNOWN`. */
function unknownMembers(
  schema: z.core.$ZodType,
  input: unknown,
  path: readonly PropertyKey[] = [],
  found: Problem[] = [],
): readonly Problem[] {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  switch (def.type) {
    case "pipe":
      return unknownMembers(def.in, input, path, found);
    case "array":
      if (!Array.isArray(input) || !hasMembers(def.element)) return found;
      for (const [index, item] of input.entries()) {
        if (found.length >= MAX_UNKNOWN) break;
        unknownMembers(def.element, item, [...path, index], found);
      }
      return found;
    case "object": {
      if (!isRecord(input) || !f.isPlainOrClosed(def)) return found;
      const { catchall, shape } = def;
      for (const name of Object.keys(input)) {
        if (found.length >= MAX_UNKNOWN) break;
        const value = input[name];
        const member = Object.hasOwn(shape, name) ? shape[name] : undefined;
        if (member !== undefined) {
          // Most values are primitive, and have no members.
          if (typeof value === "object") unknownMembers(member, value, [...path, name], found);
        } else if (catchall === undefined) {
          // zod itself refuses the members that a closed object does not name.
          found.push(unknownProblem(shape, [...path, name]));
        }
      }
      return found;
    }
    case "union":
      for (const problem of unknownOfUnion(def.options, input, path)) found.push(problem);
      return found;
    default: {
      const inner = f.unwrap(schema);
      return inner === schema ? found : unknownMembers(inner, input, path, found);
    }
  }
}

/** A request or a fixture can have any number of unknown members. */
const MAX_UNKNOWN = 1_000;

/** Whether values of a schema may be objects with members that it names. */
function hasMembers(schema: z.core.$ZodType): boolean {
  return !PRIMITIVES.has(f.unwrap(schema)._zod.def.type);
}

/**
 * `refill.interval`, `roles.0`: a path in a body or a query, in the service's notation. A name that is no word
 * is quoted, so that the mask finds a secret in it.
 */
export function dottedPath(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === "string" && NO_WORD.test(step) ? quoted(step) : String(step)))
    .join(".");
}

const NO_WORD = /[^\w-]/;

/** `expected an integer from 16 to 255, got a string of 2 characters` */
function problemText(problem: Problem): string {
  const { expected, path, value } = problem;
  if (!("value" in problem)) return expected;
  return `${expected}, got ${isSecretName(path.at(-1)) ? typeNameOf(value) : kindOf(value)}`;
}

export function below(path: readonly PropertyKey[], problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
}

const NUMBER = /^-?\d{1,15}(?:\.\d{1,5})?$/;

/**
 * The message for a client, with at most 100 problems in their order:
 * `roles.0: expected …; refill.amount: expected …`
 */
export function wireMessage(problems: readonly Problem[]): string {
  const texts = problems.slice(0, SHOWN_PROBLEMS).map((problem) => {
    const place = wholeOrLength(dottedPath(problem.path), SHOWN_CHARACTERS) || "body";
    return `${place}: ${problemText(problem)}`;
  });
  return [...texts, ...(problems.length > texts.length ? ["and more"] : [])].join("; ");
}

const SHOWN_PROBLEMS = 100;
/** Names of unknown members come from the client and may be long. */
const SHOWN_CHARACTERS = 100;

/** Describes a value without its text, which may be a secret: messages are logged. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  // In a query, numbers are text.
  if (typeof value === "string" && NUMBER.test(value)) return JSON.stringify(value);
  return typeof value === "number" ? String(value) : typeNameOf(value);
}

/** Describes a value without its text, even if it is a number. */
function typeNameOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "number") return "a number";
  if (typeof value === "string") return `a string of ${pluralize(value.length, "character")}`;
  if (Array.isArray(value)) return `an array of ${pluralize(value.length, "item")}`;
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

/** The message is created when it is read, because there may be many unknown members and few are shown. */
function unknownProblem(shape: z.core.$ZodShape, path: readonly PropertyKey[]): Problem {
  return {
    path,
    get expected() {
      return unknownName("member", String(path.at(-1)), Object.keys(shape));
    },
  };
}

const PRIMITIVES = new Set(["string", "number", "boolean", "null", "undefined", "literal", "enum"]);

/** Members that no option of a union names; none if an option is neither object nor primitive. */
function unknownOfUnion(
  options: readonly z.core.$ZodType[],
  input: unknown,
  path: readonly PropertyKey[],
): readonly Problem[] {
  const others = options.filter(({ _zod }) => !PRIMITIVES.has(_zod.def.type));
  if (others.some(({ _zod }) => _zod.def.type !== "object")) return [];
  const [first = [], ...rest] = others.map((option) => unknownMembers(option, input, path));
  if (rest.length === 0) return first;
  const placeOf = (problem: Problem) => problem.path.map(String).join("\n");
  const places = rest.map((problems) => new Set(problems.map(placeOf)));
  return first.filter((problem) => places.every((each) => each.has(placeOf(problem))));
}

export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

const UNQUOTED = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;
const SHOWN_IN_LINE = 60;

/** `keys[3].refill.amount`: a path in a fixture, in options, or in other input that a person wrote. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      const name = String(step);
      if (!UNQUOTED.test(name) || name.length > SHOWN_IN_LINE)
        return `[${quoted(name, SHOWN_IN_LINE)}]`;
      return index === 0 ? name : `.${name}`;
    })
    .join("");
}

/**
 * One line for the author of the file, the options or the record. `source` is its name:
 * `demo.yaml: keys[3].refill.amount: expected an integer of at least 1, got 0`
 */
export function problemLine(source: string, problem: Problem): string {
  const { expected, path, value } = problem;
  const place = path.length > 0 ? `${source}: ${formatPath(path)}` : source;
  // A string where an object belongs may itself be the secret, as in `tokens: ["abc"]`.
  const isNamed = typeof path.at(-1) === "string" && !path.some(mayHoldSecret);
  const isShown = isNamed && typeof value === "string";
  const text = isShown ? `${expected}, got ${quoted(value, SHOWN_IN_LINE)}` : problemText(problem);
  return `${place}: ${text}`;
}

/** Also a `start` may be a whole value by mistake. */
function mayHoldSecret(step: PropertyKey): boolean {
  return isSecretName(step) || step === "tokens" || step === "start";
}

/**
 * Reads an input that a person wrote: an option, a file, or an argument in a test.
 * @param source the name of the input, for the messages
 * @param more finds problems in a value that the schema accepts
 * @throws UsageError with a line for each member that is wrong or unknown
 */
export function readOrThrow<Schema extends z.core.$ZodType>(
  schema: Schema,
  input: unknown,
  source: string,
  more: (value: z.output<Schema>) => readonly Problem[] = () => [],
): z.output<Schema> {
  const { value, problems, unknown } = readAs(schema, input);
  const furtherProblems = value === undefined ? [] : more(value);
  throwProblems(source, [...problems, ...unknown, ...furtherProblems]);
  return value as z.output<Schema>;
}

/** @throws UsageError with a line for each problem, if there are any */
export function throwProblems(source: string, problems: readonly Problem[]): void {
  throwLines(problems.map((problem) => problemLine(source, problem)));
}

/**
 * Checks the options of a method whose values are all true or false.
 * @param of the name of the method
 * @throws UsageError for options that are unknown or of a wrong type
 */
export function checkFlags(of: string, options: unknown, known: readonly string[]): void {
  if (!isRecord(options)) throw new UsageError(`${of}: expected an object, got ${kindOf(options)}`);
  checkNames(of, options, known);
  const lines = Object.entries(options)
    .filter(([, value]) => value !== undefined && typeof value !== "boolean")
    .map(([name, value]) => `${of}: ${name}: expected true or false, got ${kindOf(value)}`);
  throwLines(lines);
}

import * as z from "zod/mini";
import { pluralize } from "./pluralize.ts";
import { expectationOf } from "./expectation.ts";
import { isRecord } from "./is-record.ts";
import { shorten } from "./shorten.ts";
import { unknownName } from "./unknown-name.ts";
import { unwrap } from "./unwrap.ts";

/** Something in an input that its schema does not accept. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  /** What is expected there, as a phrase: `expected an integer from 16 to 255`. */
  readonly expected: string;
  /** What stands there instead; undefined where nothing does. */
  readonly value: unknown;
  /** Whether the phrase says everything, so that the value is left out. */
  readonly omitValue?: boolean;
}

/** An input as far as a schema reads it. */
export interface Reading<Value> {
  /** What was read; undefined where there is a problem. */
  readonly value: Value | undefined;
  /** Each place that the schema refused, once, in the order of the schema's members. */
  readonly problems: readonly Problem[];
  /** Members that the schema does not name. Whether that is a problem is for the caller to say. */
  readonly unknown: readonly Problem[];
}

/** Reads an input, and tells everything that is wrong with it and not only the first. */
export function readAs<Schema extends z.core.$ZodType>(
  schema: Schema,
  input: unknown,
): Reading<z.output<Schema>> {
  let result = z.safeParse(schema, input);
  // Asked for only where something is wrong: it would slow down every reading.
  if (!result.success) result = z.safeParse(schema, input, { error: expectationOf });
  return {
    value: result.data,
    problems: result.success ? [] : toProblems(result.error, input),
    unknown: unknownMembers(schema, input),
  };
}

function toProblems(error: z.core.$ZodError, input: unknown): Problem[] {
  const problems = new Map<string, Problem>();
  for (const issue of error.issues) {
    const place = issue.path.map(String).join("\n");
    if (problems.has(place)) continue;
    const value = valueAt(input, issue.path);
    problems.set(place, { path: issue.path, expected: issue.message, value });
  }
  return [...problems.values()];
}

/** Members that an object schema does not name, at every depth that it describes. */
function unknownMembers(schema: z.core.$ZodType, input: unknown): readonly Problem[] {
  const { def } = unwrap(schema)._zod as z.core.$ZodTypes["_zod"];
  switch (def.type) {
    case "pipe":
      return unknownMembers(def.in, input);
    case "array":
      if (!Array.isArray(input)) return [];
      return input.flatMap((item, index) => below(index, unknownMembers(def.element, item)));
    case "object":
      // One with a catchall names every member, or refuses those that it does not name itself.
      return isRecord(input) && !def.catchall ? unknownIn(def.shape, input) : [];
    case "union":
      return unknownToAll(def.options, input);
    default:
      return [];
  }
}

/** `refill.interval`, `roles.0`: the service's way of naming a place in a body or a query. */
export function dottedPath(path: readonly PropertyKey[]): string {
  return path.map(String).join(".");
}

/** `expected an integer from 16 to 255, got a string of 2 characters` */
export function problemText({ expected, omitValue, value }: Problem): string {
  return omitValue ? expected : `${expected}, got ${kindOf(value)}`;
}

const NUMBER = /^-?\d{1,15}(?:\.\d{1,5})?$/;

/**
 * `roles.0: expected …; refill.amount: expected …`: what a client is told. The first problem stands
 * first, and there is no more than a person would read.
 */
export function wireMessage(problems: readonly Problem[]): string {
  const texts = problems.slice(0, SHOWN_PROBLEMS).map((problem) => {
    const place = shorten(dottedPath(problem.path), SHOWN_CHARACTERS) || "body";
    return `${place}: ${problemText(problem)}`;
  });
  return [...texts, ...(problems.length > texts.length ? ["and more"] : [])].join("; ");
}

const SHOWN_PROBLEMS = 100;
/** A client chooses the names of unknown members. */
const SHOWN_CHARACTERS = 100;

/** What kind of value this is, without its text: it may be a secret, and messages are logged. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  // A number is no secret, and in a query everything is text.
  if (typeof value === "string" && NUMBER.test(value)) return JSON.stringify(value);
  if (typeof value === "string") return `a string of ${pluralize(value.length, "character")}`;
  if (Array.isArray(value)) return `an array of ${pluralize(value.length, "item")}`;
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

function unknownIn(shape: z.core.$ZodShape, input: Record<string, unknown>): readonly Problem[] {
  return Object.keys(input).flatMap((name) => {
    const member = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return member === undefined
      ? [unknownProblem(shape, name, input[name])]
      : below(name, unknownMembers(member, input[name]));
  });
}

/** The same problems, as those of the value that has theirs at this step. */
function below(step: PropertyKey, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, path: [step, ...problem.path] }));
}

function unknownProblem(shape: z.core.$ZodShape, name: string, value: unknown): Problem {
  const expected = unknownName("member", name, Object.keys(shape));
  return { path: [name], expected, value, omitValue: true };
}

const PLAIN = new Set(["string", "number", "boolean", "null", "undefined", "literal", "enum"]);

/** Members that no option of a union names; an option that may name any hides all. */
function unknownToAll(options: readonly z.core.$ZodType[], input: unknown): readonly Problem[] {
  const others = options.filter(({ _zod }) => !PLAIN.has(_zod.def.type));
  if (others.some(({ _zod }) => _zod.def.type !== "object")) return [];
  const [first = [], ...rest] = others.map((option) => unknownMembers(option, input));
  return first.filter(({ path }) =>
    rest.every((problems) => problems.some((other) => dottedPath(other.path) === dottedPath(path))),
  );
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

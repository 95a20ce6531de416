import type * as z from "zod/mini";
import { isRecord } from "../../base/json.ts";
import { valueAt } from "../../schema/problems.ts";
import { isSecretName } from "../../base/wording/mask.ts";
import { withCommas } from "../../base/wording/amounts.ts";
import { wholeOrLength } from "../../base/wording/text.ts";
import * as f from "../../schema/fields.ts";

/** An entry of `errors` in the body of a 400. */
export interface Violation {
  /** The path of the keyword in the schema, like `/properties/name/minLength`. */
  readonly location: string;
  readonly message: string;
  readonly fix?: string;
}

export const MAX_META_MEMBERS = 100;
export const EXPECTED_META_MEMBERS = `expected at most ${MAX_META_MEMBERS} members`;

/** A request can have any number of mistakes, and names of any length. */
const MAX_VIOLATIONS = 100;
const SHOWN_CHARACTERS = 100;

/**
 * The violations of a schema in the form of the service. The location is the path of a keyword in the
 * JSON Schema, so it has no index of an item. All missing members of one object are one violation.
 */
export function toViolations(
  schema: z.core.$ZodType,
  input: unknown,
  issues: readonly z.core.$ZodIssue[],
): Violation[] {
  const shown = issues.slice(0, MAX_VIOLATIONS);
  return shown.flatMap((issue) => {
    const { path } = issue;
    if (!isMissing(input, path)) {
      return [toViolation(issue, locate(schema, path), valueAt(input, path))];
    }
    const parent = path.slice(0, -1);
    const missing = shown.filter(
      (other) => isMissing(input, other.path) && isIn(parent, other.path),
    );
    // The violation of the first one names all.
    if (missing[0] !== issue) return [];
    const noun = missing.length === 1 ? "property" : "properties";
    const names = quoteAll(missing.map((other) => String(other.path.at(-1))));
    const location = `${locate(schema, parent).path}/required`;
    return [{ location, message: `missing ${noun} ${names}` }];
  });
}

function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  const parent = valueAt(input, path.slice(0, -1));
  const name = path.at(-1);
  return typeof name === "string" && isRecord(parent) && !Object.hasOwn(parent, name);
}

/** Violations for unknown members, which the option `strict` refuses. */
export function unknownViolations(
  schema: z.core.$ZodType,
  unknown: readonly { readonly path: readonly PropertyKey[] }[],
): Violation[] {
  return unknown.slice(0, MAX_VIOLATIONS).map(({ path }) => ({
    location: `${locate(schema, path.slice(0, -1)).path}/additionalProperties`,
    message: `additional properties ${quoteAll([String(path.at(-1))])} not allowed`,
  }));
}

/** Whether a path leads to a member of the object at `parent`. */
function isIn(parent: readonly PropertyKey[], path: readonly PropertyKey[]): boolean {
  return path.length === parent.length + 1 && parent.every((step, index) => step === path[index]);
}

interface Place {
  readonly schema: z.core.$ZodType | undefined;
  /** A JSON pointer into the JSON Schema. */
  readonly path: string;
}

function locate(root: z.core.$ZodType, path: readonly PropertyKey[]): Place {
  return path.reduce<Place>(
    ({ schema, path: pointer }, step) => {
      const { def } = (schema === undefined ? root : f.unwrap(schema))
        ._zod as z.core.$ZodTypes["_zod"];
      if (def.type === "array") return { schema: def.element, path: `${pointer}/items` };
      const member = def.type === "object" ? def.shape[String(step)] : undefined;
      return { schema: member, path: `${pointer}/properties/${String(step)}` };
    },
    { schema: root, path: "" },
  );
}

function toViolation(issue: z.core.$ZodIssue, { path, schema }: Place, value: unknown): Violation {
  const at = (keyword: string, message: string) => ({ location: `${path}/${keyword}`, message });
  /** A bound and the number that breaks it are doubles; a length and a count are whole numbers. */
  const bound = (keyword: string, got: number, want: number | bigint) =>
    at(keyword, `${keyword}: got ${toDouble(got)}, want ${toDouble(Number(want))}`);
  const size = (keyword: string, got: number, want: number | bigint) =>
    at(keyword, `${keyword}: got ${withCommas(got)}, want ${withCommas(Number(want))}`);
  switch (issue.code) {
    case "too_small":
      if (typeof value === "string") return size("minLength", lengthOf(value), issue.minimum);
      if (Array.isArray(value)) return size("minItems", value.length, issue.minimum);
      return bound("minimum", Number(value), issue.minimum);
    case "too_big":
      if (typeof value === "string") return size("maxLength", lengthOf(value), issue.maximum);
      if (Array.isArray(value)) return size("maxItems", value.length, issue.maximum);
      return bound("maximum", Number(value), issue.maximum);
    case "invalid_format": {
      const pattern = String(issue.pattern).slice(1, -1);
      const shown = isSecretName(issue.path.at(-1)) ? "the value" : quoteAll([String(value)]);
      return at("pattern", `${shown} does not match pattern ${toGoText(pattern)}`);
    }
    case "invalid_value":
      if (typeof value !== "string") return at("type", `got ${typeOf(value)}, want string`);
      return at("enum", `value must be one of ${quoteAll(issue.values.map(String))}`);
    case "unrecognized_keys":
      return at(
        "additionalProperties",
        `additional properties ${quoteAll(issue.keys)} not allowed`,
      );
    case "invalid_type":
      return at("type", `got ${typeOf(value)}, want ${wantedType(schema)}`);
    default:
      // Only `meta` has other checks.
      if (!isRecord(value)) return at("type", `got ${typeOf(value)}, want object`);
      return issue.message === EXPECTED_META_MEMBERS
        ? size("maxProperties", Object.keys(value).length, MAX_META_MEMBERS)
        : { location: path, message: issue.message };
  }
}

/** Counts characters; `length` counts some of them as two. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function wantedType(schema: z.core.$ZodType | undefined): string {
  if (schema === undefined) return "object";
  const { type } = f.unwrap(schema)._zod.def;
  const name = type === "number" ? "integer" : type;
  return f.isNullable(schema) ? `null or ${name}` : name;
}

function quoteAll(texts: readonly string[]): string {
  const shown = texts
    .slice(0, MAX_VIOLATIONS)
    .map((text) => toGoText(wholeOrLength(text, SHOWN_CHARACTERS)));
  return shown.join(", ");
}

/** A double as the service's validator prints it: with commas, and from a million on as `2.5 × 10⁰⁶`. */
function toDouble(number: number): string {
  const [digits = "", exponent] = number.toExponential().split("e");
  const power = Number(exponent);
  if (number !== 0 && (power >= 6 || power < -4)) {
    const shown = `${power < 0 ? "-" : ""}${String(Math.abs(power)).padStart(2, "0")}`;
    return `${digits} × 10${[...shown].map((sign) => SUPERSCRIPTS[sign]).join("")}`;
  }
  const [whole = "", fraction] = String(number).split(".");
  const grouped = withCommas(whole);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const SUPERSCRIPTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹"].map((sign, digit) => [String(digit), sign])),
  "-": "⁻",
};

/** A text as Go quotes it, with single quotes: what cannot be printed is escaped. */
function toGoText(text: string): string {
  return `'${text.replaceAll(UNPRINTED, toGoEscape)}'`;
}

const UNPRINTED = /[\\']|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

function toGoEscape(character: string): string {
  const known = GO_ESCAPES[character];
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  const [letter, length] = code < 0x80 ? ["x", 2] : code < 0x1_00_00 ? ["u", 4] : ["U", 8];
  return `\\${letter}${code.toString(16).padStart(Number(length), "0")}`;
}

const GO_ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

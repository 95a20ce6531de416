import type * as z from "zod/mini";
import { closest, pluralize, quoted } from "../base/wording/text.ts";

/**
 * The message for an issue of a schema that sets no message. latchkey's own schemas set messages, so
 * this is for the schemas of users' operations.
 */
export function expectationOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${kinds[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `expected ${issue.values.map(quote).join(" or ")}`;
    case "too_small":
      return `expected ${amountOf(issue, "at least", "more than", issue.minimum)}`;
    case "too_big":
      return `expected ${amountOf(issue, "at most", "less than", issue.maximum)}`;
    case "not_multiple_of":
      return `expected a multiple of ${issue.divisor}`;
    case "invalid_format":
      return `expected a string of the format ${issue.format}`;
    case "unrecognized_keys":
      return membersExpected(issue);
    default:
      return "expected a valid value";
  }
}

/** Names the member that was probably meant, if there is a single unknown one. */
function membersExpected({
  inst,
  keys,
}: z.core.$ZodRawIssue & { readonly keys: string[] }): string {
  const { shape = {} } = (inst?._zod.def ?? {}) as Partial<z.core.$ZodObjectDef>;
  const [key = "", ...others] = keys;
  const meant = others.length === 0 ? closest(key, Object.keys(shape)) : undefined;
  return meant === undefined
    ? `expected only known members, not ${keys.slice(0, SHOWN_MEMBERS).map(quote).join(" or ")}`
    : `expected only known members, not ${quote(key)} (did you mean ${quote(meant)}?)`;
}

/** A request can have any number of unknown members. */
const SHOWN_MEMBERS = 10;

const kinds: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "an array",
};

function amountOf(
  {
    origin,
    inclusive = true,
  }: { readonly origin: string; readonly inclusive?: boolean | undefined },
  within: string,
  beyond: string,
  limit: number | bigint,
): string {
  const bound = inclusive ? within : beyond;
  switch (origin) {
    case "string":
      return `a string of ${bound} ${pluralize(Number(limit), "character")}`;
    case "array":
    case "set":
      return `an array of ${bound} ${pluralize(Number(limit), "item")}`;
    default:
      return `a number of ${bound} ${limit}`;
  }
}

function quote(value: unknown): string {
  return typeof value === "string" ? quoted(value) : String(value);
}

import { badRequest, type Version } from "./_keys.ts";
import type { Refusals } from "./_refusals.ts";
import { schemaRefusal } from "../_v2.ts";

// Values of the members of an input, and what each version makes of them.

/**
 * A reason of v2 for refusing a value, like "minLength: got 0, want 1". Where it is not the member
 * itself that is at fault, the path of the schema that is comes first.
 */
type Reason = string | readonly [at: string, message: string];
type Verdict<Refused> = true | Refused | undefined;

/** A value: accepted, refused with a text, or not sent to a version. */
export interface Row {
  readonly member: string;
  readonly value: unknown;
  readonly v1: Verdict<string>;
  readonly v2: Verdict<readonly Reason[]>;
}

/** Values that these versions accept. */
export const accepted = (
  versions: "v1" | "v2" | "v1 and v2",
  member: string,
  ...values: readonly unknown[]
): Row[] =>
  values.map((value) => ({
    member,
    value,
    v1: versions.includes("v1") || undefined,
    v2: versions.includes("v2") || undefined,
  }));

/**
 * A value that is refused.
 * @param v1 the message of v1; true if v1 accepts the value, undefined if it is not sent
 * @param reasons those of v2, which is not called if there are none
 */
export const refused = (
  member: string,
  value: unknown,
  v1: Verdict<string>,
  ...reasons: readonly Reason[]
): Row => ({ member, value, v1, v2: reasons.length === 0 ? undefined : reasons });

/** A member that v2 does not know. */
export const unknownMember = (member: string, value: unknown): Row =>
  refused(member, value, undefined, ["", `additional properties '${member}' not allowed`]);

/** What a refusal of v1 calls a value. */
function named(value: unknown): string {
  if (Array.isArray(value))
    return `an array of ${value.length} item${value.length === 1 ? "" : "s"}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  return /^\d+$/.test(value) ? JSON.stringify(value) : `a string of ${value.length} characters`;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/**
 * Values of a wrong type.
 * @param v1 what v1 expects; undefined if v1 is not called
 * @param v2 what v2 wants; undefined if v2 is not called
 */
export const wrongTypes = (
  member: string,
  v1: string | undefined,
  v2: string | undefined,
  ...values: readonly unknown[]
): Row[] =>
  values.map((value) =>
    refused(
      member,
      value,
      v1 && `${member}: expected ${v1}, got ${named(value)}`,
      ...(v2 === undefined ? [] : [`got ${typeOf(value)}, want ${v2}`]),
    ),
  );

type Bounds = readonly [min: number, max: number];

/** Texts at the bounds of both versions, and values that are no texts. */
export function texts(member: string, v1: Bounds | undefined, v2: Bounds | undefined): Row[] {
  const [min = 0, max = 0] = v1 ?? [];
  const expected = `a string ${min > 0 ? `of ${min} to` : "of at most"} ${max} characters`;
  const lengths = new Set([v1, v2].flatMap((bounds) => (bounds ? [bounds[1], bounds[1] + 1] : [])));
  const atBounds = [...lengths, ...(v2 ? [v2[0]] : [])].map((length): Row => {
    const value = "x".repeat(length);
    const long = `${member}: expected ${expected}, got a string of ${length} characters`;
    const longForV2 = v2 && [`maxLength: got ${length}, want ${v2[1]}`];
    return {
      member,
      value,
      v1: v1 && (length <= v1[1] || long),
      v2: v2 && (length <= v2[1] || longForV2),
    };
  });
  const want = v2 && "string";
  return [...atBounds, ...wrongTypes(member, v1 && expected, want, 7, true, null, ["x"], {})];
}

/** Texts that v2 refuses because of their letters. */
export const unfit = (member: string, pattern: string, ...values: readonly string[]): Row[] =>
  values.map((value) =>
    refused(member, value, undefined, `'${value}' does not match pattern '${pattern}'`),
  );

/** Flags, and values that are none. */
export const flags = (member: string): Row[] => [
  ...accepted("v1 and v2", member, true, false),
  ...wrongTypes(member, "true or false", "boolean", "true", 1, null),
];

/** The keyword of a schema that a message of v2 is about. */
function keywordOf(message: string): string {
  if (/^got \w+, want/.test(message)) return "type";
  if (message.includes("does not match pattern")) return "pattern";
  if (message.startsWith("missing propert")) return "required";
  if (message.startsWith("additional propert")) return "additionalProperties";
  if (message.startsWith("value must be one of")) return "enum";
  return message.split(":")[0] ?? "";
}

/** The refusals of a row, in the words of each version. */
export function refusalsOf({ member, v1, v2 }: Row, path: string): Refusals {
  const errors = (Array.isArray(v2) ? (v2 as readonly Reason[]) : []).map((reason) => {
    const [at, message] = typeof reason === "string" ? [`/properties/${member}`, reason] : reason;
    return { location: `${at}/${keywordOf(message)}`, message };
  });
  return { v1: badRequest(String(v1)), v2: schemaRefusal(path, errors) };
}

/** The rows that a version accepts, or those that it refuses, by their member. */
export function byMember(rows: readonly Row[], version: Version, isAccepted: boolean) {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    if (row[version] === undefined || (row[version] === true) !== isAccepted) continue;
    groups.set(row.member, [...(groups.get(row.member) ?? []), row]);
  }
  return [...groups];
}

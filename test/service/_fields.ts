import { schemaRefusal } from "../_v2.ts";
import { badRequest, type Version } from "./_keys.ts";
import type { Refusals } from "./_refusals.ts";

// The kinds of fields of an input, with values at their bounds and values that are refused.

/** A value that is refused, the messages of v2, and what v1 expects if it is not the usual text. */
type Bad = readonly [value: unknown, messages: readonly string[], expected?: string];

export interface Kind {
  /** The expectation of v1, without the word "expected". */
  readonly expected: string;
  /** The expectation of v2. */
  readonly type: string;
  /** Values that are accepted. The first one stands for the field where another field is tested. */
  readonly good: readonly unknown[];
  readonly bad: readonly Bad[];
  readonly members?: Readonly<Record<string, Kind>>;
  readonly required?: readonly string[];
  readonly isClosed?: boolean;
  readonly item?: Kind;
}

const times = (length: number, value: unknown) => Array.from({ length }, () => value);

/** A text of `min` to `max` characters, of which a pattern refuses the `others`. */
export function text(
  min = 0,
  max?: number,
  pattern?: string,
  others: readonly string[] = [],
): Kind {
  const size = min > 0 ? `of ${min} to ${max} characters` : `of at most ${max} characters`;
  const atLeast = min > 0 ? ` of at least ${min} character${min === 1 ? "" : "s"}` : "";
  // As Go quotes texts.
  const quoted = (value = "") =>
    value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("'", "\\'");
  const unlike = (value: string) =>
    `'${quoted(value)}' does not match pattern '${quoted(pattern)}'`;
  const short = (length: number): Bad => {
    const messages = [`minLength: got ${length}, want ${min}`];
    return ["x".repeat(length), length === 0 && pattern ? [...messages, unlike("")] : messages];
  };
  const letter = pattern === undefined ? "🔑" : "x";
  return {
    expected: `a string${max === undefined ? atLeast : ` ${size}`}`,
    type: "string",
    good: ["x".repeat(Math.max(min, 3)), letter.repeat(min), letter.repeat(max ?? 300)],
    bad: [
      ...[...new Set(min > 0 ? [0, min - 1] : [])].map(short),
      ...(max === undefined ? [] : [[letter.repeat(max + 1), [tooLong(max)]] as const]),
      ...others.map((value): Bad => [value, [unlike(value)]]),
    ],
  };
}
const tooLong = (max: number) => `maxLength: got ${printed(max + 1)}, want ${printed(max)}`;

/** The numbers at bounds of fields as the service prints them. */
const printedNumbers: Readonly<Record<number, string>> = {
  1000: "1,000",
  1001: "1,001",
  1024: "1,024",
  1025: "1,025",
  10_000: "10,000",
  10_001: "10,001",
  2_592_000_000: "2.592 × 10⁰⁹",
  2_592_000_001: "2.592000001 × 10⁰⁹",
  1_000_000_000_000: "1 × 10¹²",
  1_000_000_000_001: "1.000000000001 × 10¹²",
  4_102_444_800_000: "4.1024448 × 10¹²",
  4_102_444_800_001: "4.102444800001 × 10¹²",
};
const printed = (number: number) => printedNumbers[number] ?? String(number);

export function integer(min?: number, max?: number): Kind {
  const bounds = max === undefined ? ` of at least ${min}` : ` from ${min} to ${max}`;
  return {
    expected: `an integer${min === undefined ? "" : bounds}`,
    type: "integer",
    good: [min ?? 5, max ?? 2 ** 63, ...(min === undefined ? [-5] : [])],
    bad: [
      ...(min === undefined
        ? []
        : [[min - 1, [`minimum: got ${min - 1}, want ${printed(min)}`]] as const]),
      ...(max === undefined
        ? []
        : [[max + 1, [`maximum: got ${printed(max + 1)}, want ${printed(max)}`]] as const]),
    ],
  };
}

export const flag: Kind = {
  expected: "true or false",
  type: "boolean",
  good: [true, false],
  bad: [],
};

export function choice(...values: readonly string[]): Kind {
  const message = `value must be one of ${values.map((value) => `'${value}'`).join(", ")}`;
  const expected = values.map((value) => `"${value}"`).join(" or ");
  return { expected, type: "string", good: values, bad: [["other", [message]]] };
}

/** Free-form data. */
export function data(max?: number): Kind {
  const many = (length: number) =>
    Object.fromEntries(times(length, 0).map((value, index) => [`m${index}`, value]));
  const bad: Bad[] =
    max === undefined ? [] : [[many(max + 1), [`maxProperties: got ${max + 1}, want ${max}`]]];
  const good = [{}, { any: ["thing", null, { goes: many(101) }] }, many(max ?? 101)];
  return { expected: "an object", type: "object", good, bad };
}

/** A list of `min` to `max` items. The noun is what v1 calls them. */
export function list(item: Kind, max?: number, { min = 0, noun = "items" } = {}): Kind {
  const expected = `an array of ${noun}`;
  const of = (length: number) => times(length, item.good[0]);
  const bad: Bad[] = [];
  if (min > 0) bad.push([[], [`minItems: got 0, want ${min}`], `${expected}, at least ${min}`]);
  if (max !== undefined) {
    const message = `maxItems: got ${printed(max + 1)}, want ${printed(max)}`;
    bad.push([of(max + 1), [message], `${expected}, at most ${max}`]);
  }
  return { expected, type: "array", good: [of(min), of(max ?? 2)], bad, item };
}

type Members = Readonly<Record<string, Kind>>;

/** An object that ignores unknown members. The names of required members end in `!`. */
export function open(members: Members, sample: object = {}, isClosed = false): Kind {
  const entries = Object.entries(members).map(
    ([name, kind]) => [name.replace("!", ""), kind] as const,
  );
  const required = Object.keys(members).flatMap((name) =>
    name.endsWith("!") ? [name.slice(0, -1)] : [],
  );
  const kinds = Object.fromEntries(entries);
  const samples = Object.fromEntries(required.map((name) => [name, kinds[name]?.good[0]]));
  const good = [{ ...samples, ...sample }];
  return {
    expected: "an object",
    type: "object",
    good,
    bad: [],
    members: kinds,
    required,
    isClosed,
  };
}

/** An object that refuses unknown members. */
export const closed = (members: Members, sample?: object): Kind => open(members, sample, true);

/** The same field, which may be null too. */
export const nullable = (kind: Kind): Kind => ({
  ...kind,
  type: `null or ${kind.type}`,
  good: [...kind.good, null],
});

/** A value of an input, and its refusal, if it is refused. */
export interface Case {
  readonly input: unknown;
  /** The place in v1, like `.roles.1`. */
  readonly place: string;
  /** The place in the schema of v2. */
  readonly location: string;
  readonly messages: readonly string[];
  readonly expected: string;
  readonly got: unknown;
}

/** Values of each JSON type. */
const ofTypes: readonly unknown[] = [
  7,
  1.5,
  true,
  "20",
  "x".repeat(101),
  null,
  ["x"],
  {},
  // Only texts and lists have a length.
  { length: 101 },
  { length: { valueOf: 1, toString: 1 } },
];
/** Members that an object may have in the other version. */
const OTHERS = ["__proto__", "async", "create", "ownerId", "remaining", "unknown"];

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Every value of a kind, and of each of its members and items. */
export function* casesOf(kind: Kind): Generator<Case> {
  const { bad, expected, good, isClosed, item, members = {}, required = [], type } = kind;
  const here = { place: "", location: "", expected };
  for (const input of good) yield { ...here, input, messages: [], got: input };
  for (const [input, messages, own = expected] of bad) {
    yield { ...here, input, messages, expected: own, got: input };
  }
  for (const input of ofTypes) {
    const wants = type.split(" or ").map((each) => each.replace("integer", "number"));
    const isOfType = wants.includes(typeOf(input)) && !(type.endsWith("integer") && input === 1.5);
    if (isOfType || good.includes(input)) continue;
    yield { ...here, input, messages: [`got ${typeOf(input)}, want ${type}`], got: input };
  }
  const sample = good[0] as Record<string, unknown>;
  for (const [name, member] of Object.entries(members)) {
    if (required.includes(name)) {
      const { [name]: _, ...input } = sample;
      const messages = [`missing property '${name}'`];
      const missing = { input, messages, expected: member.expected, got: undefined };
      yield { ...here, ...missing, place: `.${name}` };
    }
    for (const each of casesOf(member)) {
      const place = `.${name}${each.place}`;
      const location = `/properties/${name}${each.location}`;
      yield { ...each, input: { ...sample, [name]: each.input }, place, location };
    }
  }
  if (kind.members !== undefined) {
    const others = OTHERS.filter((name) => !Object.hasOwn(members, name));
    const names = others.map((name) => `'${name}'`).join(", ");
    const messages = isClosed ? [`additional properties ${names} not allowed`] : [];
    const input = {
      ...sample,
      ...JSON.parse(JSON.stringify(Object.fromEntries(others.map((name) => [name, 1])))),
    };
    yield { ...here, input, messages, got: 1 };
  }
  if (item === undefined) return;
  for (const each of casesOf(item)) {
    const [first] = item.good;
    const own = { place: `.1${each.place}`, location: `/items${each.location}` };
    yield { ...each, ...own, input: [first, each.input] };
  }
}

/** A value in the words of a refusal of v1. It shows no number that may be a secret. */
function named(value: unknown, isSecret: boolean): string {
  const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `an array of ${counted(value.length, "item")}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "number" && isSecret) return "a number";
  if (typeof value !== "string") return String(value);
  return /^\d+$/.test(value) && !isSecret
    ? JSON.stringify(value)
    : `a string of ${counted(value.length, "character")}`;
}

/** The keyword of a schema that a message of v2 is about. */
function keywordOf(message: string): string {
  if (/^got \w+, want/.test(message)) return "type";
  if (message.includes("does not match pattern")) return "pattern";
  if (message.startsWith("missing propert")) return "required";
  if (message.startsWith("additional propert")) return "additionalProperties";
  if (message.startsWith("value must be one of")) return "enum";
  return message.split(":")[0] ?? "";
}

/** The refusal of a case in the words of each version. */
export function refusalsOf(
  { expected, got, location, messages, place }: Case,
  path: string,
): Refusals {
  const errors = messages.map((message) => ({
    location: `${location}/${keywordOf(message)}`,
    message,
  }));
  const shown = named(got, [".key", ".authorization"].includes(place));
  const problem = `${place.slice(1) || "body"}: expected ${expected}, got ${shown}`;
  return { v1: badRequest(problem), v2: schemaRefusal(path, errors) };
}

/** The version of the operation at a path. */
export const versionOf = (path: string): Version => (path.startsWith("/v1/") ? "v1" : "v2");

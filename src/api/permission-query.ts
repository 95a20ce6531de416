import { isRecord } from "../base/json.ts";

/** Which permissions a key needs. Each version of the interface has a notation for it. */
export type PermissionQuery =
  | { readonly name: string }
  | { readonly and: readonly PermissionQuery[] }
  | { readonly or: readonly PermissionQuery[] };

/** Whether these permissions satisfy the query. Names match exactly: `*` is no wildcard. */
export function isGranted(query: PermissionQuery, permissions: ReadonlySet<string>): boolean {
  if ("name" in query) return permissions.has(query.name);
  if ("and" in query) return query.and.every((part) => isGranted(part, permissions));
  return query.or.some((part) => isGranted(part, permissions));
}

/** The service has no such limit. Here, deeper recursion could overflow the stack. */
const MAX_LEVELS = 100;

/**
 * Reads the notation of v1: a name, `{ "and": [...] }` or `{ "or": [...] }`. Undefined means no check.
 * As in the service, every falsy value means no check.
 */
export function readPermissionObject(value: unknown): PermissionQuery | undefined | "invalid" {
  if (!value) return undefined;
  return readPart(value, MAX_LEVELS) ?? "invalid";
}

function readPart(value: unknown, levels: number): PermissionQuery | undefined {
  if (typeof value === "string") return { name: value };
  if (!isRecord(value) || levels === 0) return undefined;
  // The service uses the first of these forms that fits, and ignores other members.
  const and = readParts(value["and"], levels - 1);
  // The service ignores an empty name in `and`. In `or` it is a name that no key has.
  if (and !== undefined)
    return { and: and.filter((part) => !("name" in part && part.name === "")) };
  const or = readParts(value["or"], levels - 1);
  return or && { or };
}

function readParts(value: unknown, levels: number): PermissionQuery[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const parts: PermissionQuery[] = [];
  for (const item of value) {
    const part = readPart(item, levels);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}

/** The parts of an `or`, each a list of the parts of an `and`. */
type Alternatives = PermissionQuery[][];

/**
 * Reads the notation of v2, like `a AND (b OR c)`. `AND` binds tighter than `OR`. A problem is the
 * message of the service, with a position that counts from 0.
 *
 * It does not recurse, so text of any length can be read. `isGranted` recurses, but v2 allows only
 * 1,000 characters, so a query is never too deep for it.
 */
export function parsePermissionQuery(text: string): PermissionQuery | { readonly problem: string } {
  const tokens = tokenize(text);
  if (tokens[0]?.kind === "end") {
    return { problem: "Unexpected end of input. Please provide a valid permission query." };
  }
  /** What was read before each parenthesis that is still open. */
  const outer: Alternatives[] = [];
  let alternatives: Alternatives = [[]];
  let needsOperand = true;
  for (const [index, token] of tokens.entries()) {
    if (needsOperand && token.kind === "name") {
      alternatives.at(-1)?.push({ name: fromBytes(token.text) });
      needsOperand = false;
    } else if (needsOperand && token.kind === "(") {
      outer.push(alternatives);
      alternatives = [[]];
    } else if (needsOperand) {
      return { problem: operandProblem(token, tokens[index - 1]) };
    } else if (token.kind === "and" || token.kind === "or") {
      if (token.kind === "or") alternatives.push([]);
      needsOperand = true;
    } else if (token.kind === ")" && outer.length > 0) {
      const group = toQuery(alternatives);
      alternatives = outer.pop() as Alternatives;
      alternatives.at(-1)?.push(group);
    } else if (token.kind !== "end" || outer.length > 0) {
      return { problem: operatorProblem(token, outer.length > 0) };
    }
  }
  return toQuery(alternatives);
}

function toQuery(alternatives: Alternatives): PermissionQuery {
  const parts = alternatives.map((and) => single(and) ?? { and });
  return single(parts) ?? { or: parts };
}

function single(queries: readonly PermissionQuery[]): PermissionQuery | undefined {
  return queries.length === 1 ? queries[0] : undefined;
}

/** The problem with a token in the place of a name or an opening parenthesis. */
function operandProblem({ kind, position, text }: Token, before: Token | undefined): string {
  if (kind === "end") return `Unexpected end of query. ${EXPECTED_OPERAND}`;
  // The service loses its message here.
  if (kind === "invalid") return "";
  if (kind === ")" && before?.kind === "(") {
    return `Empty parentheses found at position ${position}. Parentheses must contain at least one permission or expression.`;
  }
  return `Unexpected token '${fromBytes(text)}' at position ${position}. ${EXPECTED_OPERAND}`;
}

const EXPECTED_OPERAND = "Expected a permission identifier or opening parenthesis.";

/** The problem with a token in the place of an operator, a closing parenthesis or the end. */
function operatorProblem({ kind, position, text }: Token, isInside: boolean): string {
  if (isInside) {
    return `Missing closing parenthesis ')' at position ${position}. Every opening parenthesis must have a matching closing parenthesis.`;
  }
  // By mistake, the service shows its message about the character instead of the token.
  const shown =
    kind === "invalid"
      ? `invalid character '${text}' at position ${position} in query`
      : fromBytes(text);
  return `Unexpected token '${shown}' at position ${position}. The query appears to have extra content after a valid expression.`;
}

interface Token {
  readonly kind: "name" | "and" | "or" | "(" | ")" | "invalid" | "end";
  /** One character for each byte. */
  readonly text: string;
  readonly position: number;
}

/** A name, an operator, or any other single character that is not blank. */
const TOKEN = /[\p{L}\d._:*/-]+|[^ \t\r\n]/gu;
const NAME = /^[\p{L}\d._:*/-]/u;

/**
 * The service reads bytes of UTF-8, not characters. Positions count bytes, and each byte is read as the
 * character with that code, which decides whether it is a letter. A zero byte ends the query.
 */
function tokenize(text: string): Token[] {
  const [bytes = ""] = toBytes(text).split("\0");
  const tokens = Array.from(bytes.matchAll(TOKEN), ({ 0: part, index }): Token => {
    return { kind: tokenKind(part), text: part, position: index };
  });
  return [...tokens, { kind: "end", text: "", position: bytes.length }];
}

function tokenKind(text: string): Token["kind"] {
  if (text === "(" || text === ")") return text;
  const word = text.toLowerCase();
  if (word === "and" || word === "or") return word;
  return NAME.test(text) ? "name" : "invalid";
}

/** A string with one character for each byte of UTF-8. */
function toBytes(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}

function fromBytes(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

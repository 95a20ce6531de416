/** The part of JSON Schema that the emulator's OpenAPI documents use. */
export interface Schema {
  readonly $ref?: string;
  /** Two types for one that may be null; `resolve` leaves one. */
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  /** Values to choose from; the emulator takes others too. */
  readonly examples?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  /** Whether null is allowed too; set by `resolve`. */
  readonly isNullable?: boolean;
}

interface RequestBody {
  readonly content: { readonly "application/json": { readonly schema: Schema } };
}

/** The part of an OpenAPI document that forms need. */
export interface Document {
  readonly paths: Readonly<
    Record<string, { readonly post?: { readonly requestBody: RequestBody } }>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The schema of the body of an operation, resolved. The path is like `v2/keys.createKey`. */
export function bodyOf(document: Document, path: string): Schema {
  const { post } = document.paths[`/${path}`] ?? {};
  return resolve(document, post?.requestBody.content["application/json"].schema ?? {});
}

/** Follows the `$ref` of a schema and that of its items, if they have one. */
export function resolve(document: Document, schema: Schema): Schema {
  const { $ref, anyOf = [], description } = schema;
  if (anyOf.some(isNull)) {
    const other = anyOf.find((one) => !isNull(one)) ?? {};
    const { description: own = "", ...found } = resolve(document, other);
    return { ...found, description: description ?? own, isNullable: true };
  }
  const name = $ref?.split("/").at(-1);
  const found = name === undefined ? schema : document.components.schemas[name];
  const [type, ...others] = [found?.type ?? []].flat();
  return {
    ...found,
    ...(type !== undefined && { type }),
    ...(others.includes("null") && { isNullable: true }),
    ...(found?.items && { items: resolve(document, found.items) }),
    ...(description !== undefined && { description }),
  };
}

function isNull({ type }: Schema): boolean {
  return type === "null";
}

/** A schema without some of its members. */
export function without(schema: Schema, names: readonly string[]): Schema {
  const members = Object.entries(schema.properties ?? {});
  return {
    ...schema,
    properties: Object.fromEntries(members.filter(([name]) => !names.includes(name))),
  };
}

/** A schema with these members alone, in this order. */
export function only(schema: Schema, names: readonly string[]): Schema {
  const { properties = {} } = schema;
  const members = names.flatMap((name) => {
    const member = properties[name];
    return member === undefined ? [] : [[name, member] as const];
  });
  return { ...schema, properties: Object.fromEntries(members) };
}

/**
 * The contents of a form: text for each member, another draft for a member that is an object, and
 * a list of drafts for one that is a list of objects.
 */
export interface Draft {
  readonly [member: string]: Drafted;
}
export type Drafted = string | Draft | readonly Draft[] | undefined;

/** The kind of field for a member. */
export type Kind =
  | "text"
  | "number"
  | "nullable"
  | "choice"
  | "list"
  | "rows"
  | "object"
  | "json"
  | "time"
  | "duration";

export function kindOf(name: string, schema: Schema): Kind {
  if (name === "expires") return "time";
  if (name === "expiration") return "duration";
  if (schema.enum !== undefined || schema.type === "boolean") return "choice";
  if (schema.properties !== undefined) return "object";
  if (schema.type === "array") return schema.items?.properties === undefined ? "list" : "rows";
  if (schema.type === "integer" || schema.type === "number") {
    return schema.isNullable ? "nullable" : "number";
  }
  return schema.type === "string" ? "text" : "json";
}

/**
 * Converts a draft to the body of a request. Empty fields are left out. Invalid text is sent unchanged,
 * so that the emulator reports the problem.
 */
export function toBody(document: Document, schema: Schema, draft: Draft): Record<string, unknown> {
  const members = Object.entries(resolve(document, schema).properties ?? {});
  const body = members.flatMap(([name, member]) => {
    const value = toValue(document, name, resolve(document, member), draft[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(body);
}

/** The value of a member; undefined if its field is empty. The schema is resolved. */
export function toValue(
  document: Document,
  name: string,
  schema: Schema,
  drafted: Drafted,
): unknown {
  if (drafted === undefined || drafted === "") return undefined;
  if (isRows(drafted)) {
    // A row that was added is sent even if it is empty, so that the emulator tells what it needs.
    const { items = {} } = schema;
    return drafted.length === 0 ? undefined : drafted.map((row) => toBody(document, items, row));
  }
  if (typeof drafted === "object") {
    const body = toBody(document, schema, drafted);
    return Object.keys(body).length === 0 ? undefined : body;
  }
  switch (kindOf(name, schema)) {
    case "number":
    case "duration":
      return toNumber(drafted);
    case "choice":
      return schema.type === "boolean" ? drafted === "true" : drafted;
    case "list":
      // An empty field is left out, so there has to be a text for no item at all.
      if (drafted.trim() === "[]") return [];
      return drafted.split(/[\n,]/).flatMap((item) => item.trim() || []);
    case "nullable":
    case "json":
      return toJson(drafted);
    case "time":
      return toTime(drafted);
    default:
      return drafted;
  }
}

/** `Array.isArray` does not narrow a list that is read-only. */
export function isRows(drafted: Drafted): drafted is readonly Draft[] {
  return Array.isArray(drafted);
}

function toNumber(text: string): unknown {
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? text : number;
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Reads a date and time as UTC. */
function toTime(text: string): unknown {
  const time = Date.parse(`${text}Z`);
  return Number.isNaN(time) ? text : time;
}

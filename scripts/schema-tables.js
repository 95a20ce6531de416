// Turns a JSON Schema into Markdown tables.
import { isDeepStrictEqual } from "node:util";
import { code, table } from "./markdown.js";

/**
 * A table of the members of an object and of the objects within it, each with its path. The context
 * has: `components`, the schemas that references name; `links`, for some components, the text that
 * replaces their members; `errorCodes` and `problemTypes`, the values that have a separate table.
 */
export function memberTable(schema, { isAnswer = false, ...context }) {
  const rows = memberRows(schema, context, "");
  return table(
    ["member", isAnswer ? "always there" : "required", "value", "meaning"],
    rows.map(({ isRequired, meaning, path, value }) => [
      code(path),
      isRequired ? "yes" : "",
      value,
      meaning,
    ]),
  );
}

function memberRows(schema, context, prefix) {
  const { properties = {}, required = [] } = resolve(schema, context).schema;
  return Object.entries(properties).flatMap(([name, member]) => {
    const { inner, link, suffix } = innerOf(member, context);
    const path = prefix + name;
    const row = {
      path,
      isRequired: required.includes(name),
      value: valueOf(member, context),
      meaning: [meaningOf(member, context), link].filter(Boolean).join(" "),
    };
    return link ? [row] : [row, ...memberRows(inner, context, `${path}${suffix}.`)];
  });
}

/** The schema whose members follow: that of the member or of its items. Or a link instead of them. */
function innerOf(member, context) {
  const { link, schema } = resolve(besideNull(member), context);
  if (link || ![schema.type].flat().includes("array")) return { inner: schema, link, suffix: "" };
  const item = resolve(schema.items, context);
  const inner = item.schema.anyOf?.find(({ type }) => type === "object") ?? item.schema;
  return { inner, link: item.link, suffix: "[]" };
}

/** What a member takes beside null. */
function besideNull(member) {
  const others = member.anyOf?.filter(({ type }) => type !== "null");
  return others?.length === 1 ? others[0] : member;
}

function resolve(schema, { components, links = {} }) {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? { schema } : { schema: components[name], link: links[name] };
}

function meaningOf(member, context) {
  const {
    default: fallback,
    deprecated,
    description,
  } = {
    ...resolve(member, context).schema,
    ...member,
  };
  return [
    deprecated ? "Deprecated." : "",
    description ?? "",
    fallback === undefined ? "" : `Default: ${fallback}.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** What a schema accepts, in a few words. */
function valueOf(member, context) {
  const { schema } = resolve(member, context);
  const choices = schema.enum ?? schema.examples;
  if (choices) return choiceOf(choices, context);
  if (schema.anyOf) return schema.anyOf.map((each) => valueOf(each, context)).join(", or ");
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => valueOf({ ...schema, type }, context)).join(", or ");
  }
  switch (schema.type) {
    case "array":
      return schema.minItems === 2
        ? `[min, max], each ${valueOf(schema.items, context)}`
        : `${listOf(schema)}: ${valueOf(schema.items, context)}`;
    case "boolean":
      return "true or false";
    case "integer":
    case "number":
      return numberOf(schema);
    case "string":
      return textOf(schema);
    case "object":
      return objectOf(schema);
    case undefined:
      return "any JSON";
    default:
      return schema.type;
  }
}

function choiceOf(values, { errorCodes, problemTypes }) {
  if (isDeepStrictEqual(values, errorCodes)) return "an [error code](#error-codes)";
  if (isDeepStrictEqual(values, problemTypes)) return "a [problem type](#problem-types)";
  return values.map((value) => code(JSON.stringify(value))).join(", ");
}

export function numberOf({ exclusiveMinimum, maximum = Infinity, minimum = -Infinity, type }) {
  const noun = type === "integer" ? "integer" : "number";
  if (exclusiveMinimum !== undefined) return `${noun} above ${exclusiveMinimum}, up to ${maximum}`;
  if (maximum < Number.MAX_SAFE_INTEGER) return `${noun}, ${minimum} to ${maximum}`;
  return minimum <= Number.MIN_SAFE_INTEGER ? noun : `${noun}, ${minimum} or more`;
}

function listOf({ maxItems, minItems = 0 }) {
  if (minItems > 0 && maxItems !== undefined) return `list, ${minItems} to ${maxItems}`;
  return maxItems === undefined ? "list" : `list, up to ${maxItems}`;
}

function objectOf({ maxProperties }) {
  return maxProperties === undefined ? "object" : `object, up to ${maxProperties} members`;
}

function textOf({ maxLength, minLength = 0, pattern }) {
  const shape = pattern === undefined ? "" : ` that fits ${code(pattern)}`;
  if (maxLength === undefined) return minLength > 0 ? `text, not empty${shape}` : `text${shape}`;
  const size =
    minLength > 0
      ? `text, ${minLength} to ${maxLength} characters`
      : `text, up to ${maxLength} characters`;
  return shape === "" ? size : `${size},${shape}`;
}

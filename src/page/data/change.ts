import {
  isRows,
  kindOf,
  resolve,
  toValue,
  type Document,
  type Draft,
  type Drafted,
  type Schema,
} from "./schema.ts";

/** The contents of a form for these values. The reverse of `toBody`. */
export function toDraft(document: Document, schema: Schema, values: object): Draft {
  const members = Object.entries(resolve(document, schema).properties ?? {});
  const drafted = members.flatMap(([name, member]) => {
    const value = (values as Readonly<Record<string, unknown>>)[name] ?? undefined;
    if (value === undefined) return [];
    return [[name, toDrafted(document, name, resolve(document, member), value)] as const];
  });
  return Object.fromEntries(drafted);
}

function toDrafted(document: Document, name: string, schema: Schema, value: unknown): Drafted {
  switch (kindOf(name, schema)) {
    case "object":
      return toDraft(document, schema, value as object);
    case "rows":
      return (value as object[]).map((item) => toDraft(document, schema.items ?? {}, item));
    case "list":
      return (value as string[]).join(", ");
    case "time":
      return toField(value as number);
    case "json":
      return JSON.stringify(value);
    default:
      return String(value);
  }
}

/** The text of a field for a time; empty for a time that the field cannot show. */
export function toField(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, -5);
}

/**
 * The members of a draft that differ from those of an earlier one. A field that was emptied becomes
 * null, or an empty list, if the schema allows that.
 */
export function toChange(
  document: Document,
  schema: Schema,
  draft: Draft,
  before: Draft,
): Record<string, unknown> {
  const members = Object.entries(resolve(document, schema).properties ?? {});
  const change = members.flatMap(([name, unresolved]) => {
    const member = resolve(document, unresolved);
    const [drafted, draftedBefore] = [draft[name], before[name]];
    const valueOf = (text: Drafted) => toValue(document, name, member, text);
    const [value, valueBefore] = [valueOf(drafted), valueOf(draftedBefore)];
    if (value === undefined) {
      // A list whose rows were removed again also differs from one that the form did not show.
      const isEmptied = valueBefore !== undefined || (isRows(drafted) && !draftedBefore);
      const empty = member.isNullable ? null : member.type === "array" ? [] : undefined;
      return isEmptied && empty !== undefined ? [[name, empty] as const] : [];
    }
    if (JSON.stringify(value) === JSON.stringify(valueBefore)) return [];
    // An object without required members is a change itself. Any other replaces the one before.
    const isChange = member.properties !== undefined && member.required === undefined;
    const isDeep = isChange && isGroup(drafted) && isGroup(draftedBefore);
    return [[name, isDeep ? toChange(document, member, drafted, draftedBefore) : value] as const];
  });
  return Object.fromEntries(change);
}

function isGroup(drafted: Drafted): drafted is Draft {
  return typeof drafted === "object" && !isRows(drafted);
}

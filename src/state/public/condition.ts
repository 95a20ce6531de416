import { Query } from "@msw/data";
import { contains, isRecord } from "../../base/json.ts";
import { kindOf, throwProblems } from "../../schema/problems.ts";
import { unknownName } from "../../base/wording/text.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { RecordDescription } from "../records/record-set.ts";

/**
 * Members that a record must have: `{ name: "CI" }`, `{ roles: ["admin"] }`. Values must be deeply
 * equal. A member that is undefined matches records without it.
 */
export type MemberCondition<Item> = { readonly [Member in keyof Item]?: Item[Member] } & {
  // Without this, TypeScript would accept any function, because functions have a `name`.
  readonly apply?: never;
};

/**
 * Turns a condition into a `Query` of `@msw/data`. A condition is a record, members, a query, or a
 * function that makes a query.
 * @throws UsageError for anything else, and for unknown members
 */
export function toQuery<Item extends object>(
  description: RecordDescription,
  condition: unknown,
): Query<Item> {
  const { id, noun, type } = description;
  if (condition instanceof type) {
    const recordId = memberOf(condition, id);
    return new Query((record) => memberOf(record, id) === recordId);
  }
  const query = asQuery<Item>(condition);
  if (query !== undefined) return query;
  if (typeof condition === "function") {
    const made: unknown = condition(new Query<Item>());
    const madeQuery = asQuery<Item>(made);
    if (madeQuery !== undefined) return madeQuery;
    const expected = "expected a function that returns a query, like (q) => q.where({ ... })";
    throw new UsageError(`${noun}: ${expected}, got ${kindOf(made)}`);
  }
  if (!isRecord(condition)) {
    const expected = `expected a condition, like { ${id}: "..." } or (q) => q.where({ ... })`;
    throw new UsageError(`${noun}: ${expected}, got ${kindOf(condition)}`);
  }
  checkMembers(description, condition);
  return new Query((record) => hasMembers(record, condition));
}

/** The id in a condition, if that is a record or members. */
export function idIn({ id, type }: RecordDescription, condition: unknown): unknown {
  if (condition instanceof type) return memberOf(condition, id);
  const isOfMembers = isRecord(condition) && asQuery(condition) === undefined;
  return isOfMembers && Object.hasOwn(condition, id) ? condition[id] : undefined;
}

/** @throws UsageError if the options of an update have no function `data` */
export function checkData(noun: string, options: unknown): void {
  const data = isRecord(options) ? options["data"] : undefined;
  if (typeof data === "function") return;
  const expected = `expected the option data, a function that changes the record, like { data: (${noun}) => { ${noun}.member = value } }`;
  const instead = isRecord(options) ? "an object without data" : kindOf(options);
  const got = data === undefined ? instead : `${kindOf(data)} as data`;
  throw new UsageError(`${noun}: ${expected}, got ${got}`);
}

function checkMembers(
  { members, noun }: RecordDescription,
  condition: Record<string, unknown>,
): void {
  const problems = Object.entries(condition).flatMap(([name, value]) => {
    const path = [name];
    if (!members.includes(name)) return [{ path, expected: unknownName("member", name, members) }];
    if (typeof value !== "function") return [];
    const expected = `expected a value, got a function; use (q) => q.where({ ${name}: ... })`;
    return [{ path, expected }];
  });
  throwProblems(noun, problems);
}

function hasMembers(record: object, members: Record<string, unknown>): boolean {
  return Object.entries(members).every(([name, value]) => {
    const own = memberOf(record, name);
    return contains(own, value) && contains(value, own);
  });
}

function memberOf(record: object, name: string): unknown {
  return (record as Readonly<Record<string, unknown>>)[name];
}

/** A query; wrapped if it comes from another copy of `@msw/data`, which a test may have. */
function asQuery<Item>(value: unknown): Query<Item> | undefined {
  if (value instanceof Query) return value;
  if (!isRecord(value)) return undefined;
  const { test, where } = value;
  if (typeof test !== "function" || typeof where !== "function") return undefined;
  return new Query((record) => (value as unknown as Query<Item>).test(record));
}

/**
 * Sorts records like `@msw/data`, which does not export its function: by several members in turn,
 * also by nested ones. Records keep their order if a value is missing or cannot be compared.
 */
export function sortRecords<Item>(records: Item[], orderBy: unknown): Item[] {
  const criteria = [orderBy ?? []].flat().flatMap((member) => toCriteria(member as object));
  return records.sort((a, b) => {
    for (const { path, isDescending } of criteria) {
      const [first, second] = [valueAt(a, path), valueAt(b, path)] as string[];
      if (first === undefined || second === undefined) continue;
      if (first > second) return isDescending ? -1 : 1;
      if (first < second) return isDescending ? 1 : -1;
    }
    return 0;
  });
}

interface Criterion {
  readonly path: readonly string[];
  readonly isDescending: boolean;
}

function toCriteria(orderBy: object, parents: readonly string[] = []): Criterion[] {
  return Object.entries(orderBy).flatMap(([name, value]) => {
    const path = [...parents, name];
    if (typeof value === "object" && value !== null) return toCriteria(value as object, path);
    return [{ path, isDescending: value !== "asc" }];
  });
}

function valueAt(record: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[name],
    record,
  );
}

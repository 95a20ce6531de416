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

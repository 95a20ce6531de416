/**
 * Sorts records as `@msw/data` does, which exports no function for it: by one member after the
 * other, members of members too. Values that cannot be compared keep their order.
 */
export function sortRecords<Item>(records: Item[], orderBy: unknown): Item[] {
  const criteria = [orderBy ?? []].flat().flatMap((each) => toCriteria(each as object));
  return records.sort((a, b) => {
    for (const { path, isDescending } of criteria) {
      const [one, other] = [valueAt(a, path), valueAt(b, path)] as string[];
      if (one === undefined || other === undefined) continue;
      if (one > other) return isDescending ? -1 : 1;
      if (one < other) return isDescending ? 1 : -1;
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

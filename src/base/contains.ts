/**
 * Whether `value` matches `part`. An object must have all members of `part` and may have more. A list
 * must have the same length and matching items. Any other value must be equal.
 */
export function contains(value: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return Object.is(value, part) || value === part;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(part)) {
    return (
      Array.isArray(value) &&
      value.length === part.length &&
      part.every((item, index) => contains(value[index], item))
    );
  }
  return Object.entries(part).every(
    ([name, member]) =>
      Object.hasOwn(value, name) && contains((value as Record<string, unknown>)[name], member),
  );
}

/** Whether an input contains these members; if the input is a list, whether one of its items does. */
export function inputContains(input: unknown, part: unknown): boolean {
  if (!Array.isArray(input)) return contains(input, part);
  return input.some((item) => contains(item, part));
}

/** A place at which a value differs from what was expected there. */
export interface Difference {
  readonly path: readonly PropertyKey[];
  /** Undefined if the value has no such member. */
  readonly found: unknown;
}

/** Every place at which `value` does not match `part`; none if `contains` returns true. */
export function differences(
  value: unknown,
  part: unknown,
  path: readonly PropertyKey[] = [],
): readonly Difference[] {
  if (contains(value, part)) return [];
  const isObject = typeof value === "object" && value !== null && typeof part === "object";
  if (!isObject || part === null || Array.isArray(value) !== Array.isArray(part)) {
    return [{ path, found: value }];
  }
  if (Array.isArray(part) && part.length !== (value as unknown[]).length) {
    return [{ path, found: value }];
  }
  return Object.entries(part).flatMap(([name, member]) => {
    const has = Object.hasOwn(value, name);
    const found = has ? (value as Record<string, unknown>)[name] : undefined;
    return differences(found, member, [...path, name]);
  });
}

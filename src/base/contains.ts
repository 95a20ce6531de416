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

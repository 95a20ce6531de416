/**
 * Whether a value contains another: an object has to have its members and may have more, lists have
 * to be as long, and everything else is to be equal.
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

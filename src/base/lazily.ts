/**
 * A function that makes a value at the first call and returns the same one afterwards. Schemas are
 * made this way: a schema takes up to 1 ms, and a test file needs few.
 */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

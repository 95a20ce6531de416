/**
 * A function that makes a value at the first call and returns it at every call. It is used for the
 * schemas of operations, because they take time to make, and most test files use few operations.
 */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * What a function of a test's says, which it has to say at once.
 * @throws Error that names the function by `whose`, where it fails or returns a promise
 */
export function askPredicate<Value>(
  predicate: (value: Value) => boolean,
  value: Value,
  whose: string,
): boolean {
  let answer: unknown;
  try {
    answer = predicate(value);
  } catch (error) {
    throw new Error(`${whose}: the function failed: ${String(error)}`, { cause: error });
  }
  if (!(answer instanceof Promise)) return Boolean(answer);
  // Nobody else waits for it.
  answer.catch(() => {});
  throw new Error(`${whose}: expected a function that answers at once, got a promise`);
}

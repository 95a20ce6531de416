import { ignore, isPromise } from "../base/realm.ts";
import { thrownText, toShowable } from "../base/thrown.ts";

/**
 * Calls a predicate that a test passed in, and returns its answer as a boolean.
 * @param label what error messages call the function, like `requests: match`
 * @throws Error if the function throws or returns a promise
 */
export function askPredicate<Value>(
  predicate: (value: Value) => boolean,
  value: Value,
  label: string,
): boolean {
  let answer: unknown;
  try {
    answer = predicate(value);
  } catch (error) {
    throw new Error(`${label}: the function failed: ${thrownText(error)}`, {
      cause: toShowable(error),
    });
  }
  if (!isPromise(answer)) return Boolean(answer);
  ignore(answer);
  throw new Error(`${label}: expected a synchronous function, got a promise`);
}

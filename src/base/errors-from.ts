/**
 * Remembers where a call was made, for errors that are created later. Their stacks begin at the caller of
 * `entry`, for example a line of a test, and not at a timer.
 * @param entry the function that was called
 */
export function errorsFrom(
  entry: (...args: never[]) => unknown,
): (message: string, options?: ErrorOptions) => Error {
  const origin = new Error();
  // Some engines do not have it. Their stacks begin here.
  Error.captureStackTrace?.(origin, entry);
  return (message, options) => {
    const error = new Error(message, options);
    const frames = origin.stack?.replace(/^Error.*\n/, "");
    if (frames !== undefined) error.stack = `Error: ${message}\n${frames}`;
    return error;
  };
}

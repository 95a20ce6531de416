// Checks of values of users. They may belong to another realm, as in tests with jsdom or Jest, and then
// `instanceof` is false.

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** Takes no notice of a promise. Without a handler, its rejection would end the process. */
export function ignore(promise: PromiseLike<unknown>): void {
  promise.then(undefined, () => {});
}

export function isDate(value: unknown): value is Date {
  return tagOf(value) === "Date";
}

export function isUrl(value: unknown): value is URL {
  return tagOf(value) === "URL";
}

export function isError(value: unknown): value is Error {
  return value instanceof Error || tagOf(value) === "Error" || tagOf(value) === "DOMException";
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

// Code of users may throw anything, even a Proxy whose traps throw.

export function isInstance<Type>(
  value: unknown,
  type: abstract new (...args: never[]) => Type,
): value is Type {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

export function thrownText(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return UNREADABLE;
  }
}

/** The thrown value if a log can show it, else an error that can be shown. */
export function toShowable(thrown: unknown): unknown {
  try {
    checkReadable(thrown);
    return thrown;
  } catch {
    return new Error(UNREADABLE);
  }
}

const UNREADABLE = "something was thrown that cannot be shown, because reading it fails";

/** Reads everything that a log reads. The depth is limited, because errors may be causes of each other. */
function checkReadable(thrown: unknown, depth = 0): void {
  if (depth > MAX_CAUSES) throw new Error("too many causes");
  const texts =
    thrown instanceof Error ? [thrown.name, thrown.message, thrown.stack ?? ""] : [String(thrown)];
  if (!texts.every((text) => typeof text === "string")) throw new TypeError("no text");
  if (thrown instanceof Error && thrown.cause !== undefined) checkReadable(thrown.cause, depth + 1);
}

const MAX_CAUSES = 100;

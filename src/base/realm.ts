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

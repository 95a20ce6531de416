// Code of users may throw anything, also a Proxy that throws when it is looked at.

/** `instanceof`, for any value. */
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

/** What was thrown, as text for a message. */
export function thrownText(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return UNREADABLE;
  }
}

/** What was thrown, if a log can show it; else an error in its place. */
export function toShowable(thrown: unknown): unknown {
  try {
    checkReadable(thrown);
    return thrown;
  } catch {
    return new Error(UNREADABLE);
  }
}

const UNREADABLE = "something was thrown that cannot be shown, because reading it fails";

/** Reads what logs read. Errors may be causes of each other, so the depth is limited. */
function checkReadable(thrown: unknown, depth = 0): void {
  if (depth > MAX_CAUSES) throw new Error("too many causes");
  const texts =
    thrown instanceof Error ? [thrown.name, thrown.message, thrown.stack ?? ""] : [String(thrown)];
  if (!texts.every((text) => typeof text === "string")) throw new TypeError("no text");
  if (thrown instanceof Error && thrown.cause !== undefined) checkReadable(thrown.cause, depth + 1);
}

const MAX_CAUSES = 100;

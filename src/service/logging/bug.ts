import { maskJson, type Mask } from "../../base/wording/mask.ts";
import { isError } from "../../base/realm.ts";
import { thrownText, toShowable } from "../../base/thrown.ts";
import { printable } from "../../base/wording/printable.ts";

/** Errors may be causes of each other. */
const MAX_CAUSES = 10;

/**
 * A copy of what was thrown, for a log. Secrets are masked in its texts. Additional members are left
 * out, because they may contain the input of a client.
 */
export function toBug(thrown: unknown, mask: Mask, depth = 0): Error {
  const shown = toShowable(thrown);
  if (!isError(shown)) {
    return new Error(`expected an Error to be thrown, got ${textOf(shown, mask)}`);
  }
  const { cause, message, name, stack = `${name}: ${message}` } = shown;
  const { errors } = shown as { readonly errors?: unknown };
  const parts = Array.isArray(errors) && depth < MAX_CAUSES ? errors.slice(0, MAX_CAUSES) : [];
  const copy = new Error(mask(message));
  if (name !== copy.name) copy.name = mask(name);
  copy.stack = [
    mask(stack),
    ...parts.map((part) => `one of its errors: ${stackOf(toBug(part, mask, depth + 1))}`),
  ].join("\n");
  if (cause !== undefined && depth < MAX_CAUSES) copy.cause = toBug(cause, mask, depth + 1);
  return copy;
}

function textOf(value: unknown, mask: Mask): string {
  try {
    return JSON.stringify(maskJson(value, mask)) ?? mask(thrownText(value));
  } catch {
    return mask(thrownText(value));
  }
}

/**
 * The stack of an error and of its causes, for a terminal. All lines but the first are indented, so that
 * a message of several lines cannot look like other lines.
 */
export function printableStack(error: Error): string {
  return stackOf(error)
    .split("\n")
    .map((line, index) => (index === 0 || line.startsWith(" ") ? line : `    ${line}`))
    .map(printable)
    .join("\n");
}

/** The stack of an error and of its causes. */
export function stackOf({ cause, message, stack = message }: Error): string {
  return isError(cause) ? `${stack}\ncaused by: ${stackOf(cause)}` : stack;
}

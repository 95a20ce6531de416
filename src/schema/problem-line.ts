import { problemText, type Problem } from "./problems.ts";
import { shorten } from "./shorten.ts";

/** A name that needs no quotes in a path. */
const PLAIN = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;
const SHOWN_CHARACTERS = 60;
/** Members whose values are secrets, or show part of one. */
const SECRETS = new Set<PropertyKey>([
  "token",
  "tokens",
  "controlToken",
  "key",
  "start",
  "plaintext",
]);

/** `keys[3].refill.amount`: the way to a place in what a person has written. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      const name = String(step);
      if (!PLAIN.test(name) || name.length > SHOWN_CHARACTERS)
        return `[${JSON.stringify(shorten(name, SHOWN_CHARACTERS))}]`;
      return index === 0 ? name : `.${name}`;
    })
    .join("");
}

/**
 * `demo.yaml: keys[3].refill.amount: expected an integer of at least 1, got 0`: for the person who
 * wrote the file, the options or the record that `source` names.
 */
export function problemLine(source: string, problem: Problem): string {
  const { expected, omitValue, path, value } = problem;
  const place = path.length > 0 ? `${source}: ${formatPath(path)}` : source;
  // What stands in place of an object may be anything, also the secret that belongs into it.
  const isNamed = typeof path.at(-1) === "string" && !path.some((step) => SECRETS.has(step));
  const isShown = isNamed && typeof value === "string" && !omitValue;
  const text = isShown
    ? `${expected}, got ${JSON.stringify(shorten(value, SHOWN_CHARACTERS))}`
    : problemText(problem);
  return `${place}: ${text}`;
}

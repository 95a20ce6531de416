import { problemText, type Problem } from "./problems.ts";
import { isSecretName } from "../base/wording/mask.ts";
import { quoted } from "../base/wording/shorten.ts";

const UNQUOTED = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;
const SHOWN_CHARACTERS = 60;

/** `keys[3].refill.amount`: a path in a fixture, in options, or in other input that a person wrote. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      const name = String(step);
      if (!UNQUOTED.test(name) || name.length > SHOWN_CHARACTERS)
        return `[${quoted(name, SHOWN_CHARACTERS)}]`;
      return index === 0 ? name : `.${name}`;
    })
    .join("");
}

/**
 * One line for the author of the file, the options or the record. `source` is its name:
 * `demo.yaml: keys[3].refill.amount: expected an integer of at least 1, got 0`
 */
export function problemLine(source: string, problem: Problem): string {
  const { expected, path, value } = problem;
  const place = path.length > 0 ? `${source}: ${formatPath(path)}` : source;
  // A string where an object belongs may itself be the secret, as in `tokens: ["abc"]`.
  const isNamed = typeof path.at(-1) === "string" && !path.some(mayHoldSecret);
  const isShown = isNamed && typeof value === "string";
  const text = isShown
    ? `${expected}, got ${quoted(value, SHOWN_CHARACTERS)}`
    : problemText(problem);
  return `${place}: ${text}`;
}

/** Also a `start` may be a whole value by mistake. */
function mayHoldSecret(step: PropertyKey): boolean {
  return isSecretName(step) || step === "tokens" || step === "start";
}

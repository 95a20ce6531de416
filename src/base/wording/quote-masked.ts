import { shorten } from "./shorten.ts";

const SHOWN_CHARACTERS = 5;
/** A longer text is cut before it is masked: a run of millions of characters overflows the stack of V8. */
const MAX_READ = 10_000;

/**
 * Quotes text from outside for a message: at most 60 characters, and of what looks like a secret only
 * the first few.
 * @param secret what looks like one, with the flag `g`
 */
export function quoteMasked(text: string, secret: RegExp): string {
  const masked = text
    .slice(0, MAX_READ)
    .replaceAll(secret, (run) => `${run.slice(0, SHOWN_CHARACTERS)}***`);
  return JSON.stringify(shorten(masked, 60));
}

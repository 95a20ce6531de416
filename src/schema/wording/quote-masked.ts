import { shorten } from "./shorten.ts";

const SHOWN_CHARACTERS = 5;

/**
 * Quotes text from outside for a message: at most 60 characters, and of what looks like a secret only
 * the first few.
 * @param secret what looks like one, with the flag `g`
 */
export function quoteMasked(text: string, secret: RegExp): string {
  const masked = text.replaceAll(secret, (run) => `${run.slice(0, SHOWN_CHARACTERS)}***`);
  return JSON.stringify(shorten(masked, 60));
}

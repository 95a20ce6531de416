import { shorten } from "./shorten.ts";

const SHOWN_CHARACTERS = 5;
/** Longer text is cut before it is masked: with millions of characters, a pattern overflows V8's stack. */
const MAX_READ = 10_000;

/**
 * Quotes any text for a message: at most 60 characters of it, and only the first few of each part that
 * looks like a secret.
 * @param secret matches what looks like a secret; has the flag `g`
 */
export function quoteMasked(text: string, secret: RegExp): string {
  const masked = text
    .slice(0, MAX_READ)
    .replaceAll(secret, (run) => `${run.slice(0, SHOWN_CHARACTERS)}***`);
  return JSON.stringify(shorten(masked, 60));
}

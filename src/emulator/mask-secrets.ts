import { shorten } from "../contract/shorten.ts";

/** Shorter runs are names and ids (`key_` and sixteen characters); key values are longer. */
const LONG_RUN = /[A-Za-z0-9_~+=-]{22,}/g;
/** Names like `LATCHKEY_CONTROL_TOKEN` are long too, and no secrets. */
const CAPITAL_NAME = /^[A-Z]+(?:_[A-Z]+)+$/;
const SHOWN_CHARACTERS = 5;
const MAX_LENGTH = 500;
/** A shorter token is a word like any other, and masking it would garble the rest. */
const MIN_TOKEN_LENGTH = 6;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/**
 * Makes text that holds parts of a request fit for a log: one short line without the given tokens,
 * and without what looks like a secret.
 */
export function maskSecrets(text: string, tokens: readonly string[] = []): string {
  const masked = tokens
    .reduce(maskToken, text)
    .replace(LONG_RUN, (run) =>
      CAPITAL_NAME.test(run) ? run : `${run.slice(0, SHOWN_CHARACTERS)}***`,
    )
    .replace(CONTROL, "?");
  return shorten(masked, MAX_LENGTH);
}

/** What a client sent as a token, with whatever scheme; the scheme alone is no secret. */
export function sentToken(authorization: string | undefined): string {
  const token = authorization?.split(" ").at(-1) ?? "";
  return token === "Bearer" ? "" : token;
}

export function maskToken(text: string, token: string): string {
  return token.length < MIN_TOKEN_LENGTH ? text : text.replaceAll(token, "***");
}

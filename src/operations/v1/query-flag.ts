import * as z from "zod/mini";
import { docs } from "../../schema/fields.ts";
import type { Quirks } from "../../contract/quirks.ts";

/** Spellings in lower case, because Python clients send `True`. Undefined means: not given. */
const flagSpellings: ReadonlyMap<string, boolean | undefined> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
  ["null", undefined],
  ["", undefined],
]);

const STRICT_FLAG =
  "Accepts `true` and `false` in any case, `1` and `0`. `null` and an empty value mean: not given.";
const LOOSE_FLAG = "Any text is true, even `false`; an empty value means: not given.";

/** A parameter of a query that is true or false. */
export function queryFlag(description: string, quirks: Quirks) {
  const error = "expected true, false, 1, 0 or null";
  const isLoose = quirks.has("truthy-strings");
  const isKnown = (text: string) => isLoose || flagSpellings.has(text.toLowerCase());
  const toFlag = (text: string) =>
    isLoose ? text !== "" || undefined : flagSpellings.get(text.toLowerCase());
  return z
    .pipe(z.string({ error }).check(z.refine(isKnown, { error })), z.transform(toFlag))
    .register(docs, {
      // The service's documentation says "boolean or null", but clients that are generated from that
      // cannot write null into a query. It would mean the same as no parameter.
      type: "boolean",
      description: `${description} ${isLoose ? LOOSE_FLAG : STRICT_FLAG}`,
    });
}

export function decryptFlag(what: string, quirks: Quirks) {
  const description = `${what} in \`plaintext\`. A token without the right to decrypt is refused with 403 and \`UNAUTHORIZED\`.`;
  return queryFlag(description, quirks);
}

/** As in the service: this code usually has the status 401. */
export const MAY_NOT_DECRYPT = { code: "UNAUTHORIZED", status: 403 } as const;

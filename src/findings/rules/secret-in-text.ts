import { isRecord } from "../../base/is-record.ts";
import { defineRule } from "../rule.ts";
import { nameOf } from "../seen-call.ts";

/** Members that everyone may read who may list keys, or that show up in analytics. */
const TEXTS = new Set(["name", "meta", "externalId", "ownerId", "tags", "identifier", "identity"]);
/** Shorter tokens and values may be ordinary words. */
const MIN_LENGTH = 12;
const WORD = /\b[\w-]{12,}/g;
/** How deep `meta` is read. */
const MAX_DEPTH = 10;

/**
 * The value of a key, or a token, is sent in `name`, `meta`, `externalId`, `ownerId`, `tags` or an
 * identifier. Only those with at least 12 characters, a letter and a digit count. A token that is not
 * listed counts if it begins like a root key, with `unkey_`.
 */
export const secretInText = defineRule({
  name: "secret-in-text",
  advice:
    "Never store a key's value or a root key in a record: everyone who may list keys can read it there. Keep the keyId. To show the value again later, create the key with recoverable: true.",
  watch(world) {
    // Without a list of tokens, any word is one, like the name of a test.
    const isRootKey = (word: string, token: string) => word === token && word.startsWith("unkey_");
    const isSecret = (word: string, token: string) =>
      (isRootKey(word, token) || world.isSecret(word)) && /\d/.test(word) && /[a-z]/i.test(word);
    const hasSecret = (text: string, token: string) => {
      if (text.length < MIN_LENGTH || !/\d/.test(text)) return false;
      const words = text.match(WORD) ?? [];
      if (words.some((word) => isSecret(word, token))) return true;
      // A value that a test gave may have other characters.
      return words[0] !== text && isSecret(text, token);
    };
    return (call) => {
      const { input, requestId, token } = call;
      if (input === undefined) return undefined;
      const member = memberWith(input, (text) => hasSecret(text, token));
      if (member === undefined) return undefined;
      const name = nameOf(call);
      const why = `${name} was sent the value of a key or a token in ${member}`;
      return { subject: `${name} ${member}`, why, requests: [requestId] };
    };
  },
});

type Test = (text: string) => boolean;

/** The name of the first member with a text that passes the test. */
function memberWith(input: unknown, test: Test): string | undefined {
  if (Array.isArray(input)) return firstOf(input, test);
  if (!isRecord(input)) return undefined;
  // Faster than to ask for each of these members: most inputs have two or three.
  for (const name in input) {
    if (TEXTS.has(name) && hasText(input[name], test)) return name;
  }
  // keys.migrateKeys takes a list of keys.
  return Array.isArray(input["keys"]) ? firstOf(input["keys"], test) : undefined;
}

function hasText(value: unknown, test: Test, depth = 0): boolean {
  if (typeof value === "string") return test(value);
  if (typeof value !== "object" || value === null || depth === MAX_DEPTH) return false;
  const members = value as Readonly<Record<string, unknown>>;
  for (const name in members) if (hasText(members[name], test, depth + 1)) return true;
  return false;
}

function firstOf(items: readonly unknown[], test: Test): string | undefined {
  for (const item of items) {
    const found = memberWith(item, test);
    if (found !== undefined) return found;
  }
  return undefined;
}

import { isRecord } from "../../base/json.ts";
import { inSecondsText, isInSeconds } from "../../base/wording/seconds.ts";
import type { ParsedInput } from "../../api/operation.ts";
import type { VersionName } from "../../api/version.ts";

/** A finished call of an operation of the service whose input was valid, as far as rules look at it. */
export interface SeenCall {
  readonly requestId: string;
  readonly version: VersionName;
  /** Like `keys.createKey`. */
  readonly operation: string;
  readonly token: string;
  /** When it arrived, by the emulator's clock (unix milliseconds). */
  readonly time: number;
  readonly input: ParsedInput;
  /** The result of the operation; of a page of keys only a summary, which has its cursor. */
  readonly output: unknown;
}

/** What a rule found. */
interface Mistake {
  /** What the finding is about. Further mistakes with the same subject join the same finding. */
  readonly subject: string;
  readonly why: string;
  /** The change to make in the client. */
  readonly advice: string;
  readonly requests: readonly string[];
}

/** What a rule may ask about the world. */
export interface RuleWorld {
  /** Whether the text is a listed token, the control token, or the value of a key. */
  isSecret(text: string): boolean;
  readonly cursors: Cursors;
}

/**
 * Recognises one mistake of clients in one call and in what was answered before. A correct program makes
 * no finding, whatever its connections and however many of its processes call at once.
 */
interface Rule {
  /** Matches the names of the operations that the rule looks at. */
  readonly operations: RegExp;
  find(call: SeenCall, world: RuleWorld): Mistake | undefined;
}

/** Every rule, by name. */
export const rules = {
  "cursor-of-another-list": { operations: /\.list/, find: cursorOfAnotherList },
  "expires-in-seconds": {
    operations: /^keys\.(?:create|migrate|update)Keys?$/,
    find: expiresInSeconds,
  },
  // The other operations store nothing that they are sent. They may clean up what a call stored.
  "secret-in-text": { operations: /\.(?!delete|get|list|whoami)/, find: secretInText },
} satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof rules;

export const ruleNames = Object.keys(rules) as [RuleName, ...RuleName[]];

/** How many cursors of a world are remembered. Nothing is certain about further ones. */
const MAX_CURSORS = 10_000;
/** Calls with a longer filter (in characters) are skipped, so that cursors need little memory. */
const MAX_LIST = 1_000;

/**
 * The lists whose pages had each cursor, and the first request of each: the same key may begin a page of
 * several lists. A remembered cursor is never forgotten before a reset, because one forgotten page
 * would make a right call look wrong.
 */
export class Cursors {
  readonly #sources = new Map<string, Map<string, string>>();

  note(cursor: string, list: string, requestId: string): void {
    const known = this.#sources.get(cursor);
    if (known === undefined) {
      if (this.#sources.size === MAX_CURSORS) return;
      this.#sources.set(cursor, new Map([[list, requestId]]));
    } else if (!known.has(list)) known.set(list, requestId);
  }

  /** The first list that had the cursor and its request; undefined if this list had it, or none. */
  otherSource(
    cursor: string,
    list: string,
  ): readonly [list: string, requestId: string] | undefined {
    const known = this.#sources.get(cursor);
    return known === undefined || known.has(list) ? undefined : known.entries().next().value;
  }
}

/** A cursor is sent for another operation, API or filter than the pages that had it. */
function cursorOfAnotherList(call: SeenCall, { cursors }: RuleWorld): Mistake | undefined {
  const { input, output, requestId } = call;
  const { cursor } = input as { readonly cursor?: string };
  // In v1, the cursor for the next page is a member of the page itself.
  const { pagination = output } = Object(output) as { readonly pagination?: unknown };
  const { cursor: nextCursor } = Object(pagination) as { readonly cursor?: string };
  if (cursor === undefined && nextCursor === undefined) return undefined;
  const list = listOf(call);
  if (list.length > MAX_LIST) return undefined;
  // Before the cursor of this reply is noted, because the client had not seen it when it sent the call.
  const source = cursor === undefined ? undefined : cursors.otherSource(cursor, list);
  if (nextCursor !== undefined) cursors.note(nextCursor, list, requestId);
  if (source === undefined) return undefined;
  const [from, earlier] = source;
  return {
    subject: `${from}\n${list}`,
    why: `a cursor from ${from} was sent to ${list}`,
    advice:
      "A cursor continues the list that it came from. Send it with the same API and the same filters, and begin another list without a cursor.",
    requests: [earlier, requestId],
  };
}

/**
 * Which list a call reads. The namespace of overrides is left out, because calls may name it by its id
 * or by its name.
 */
function listOf({ input, operation, version }: SeenCall): string {
  const { apiId, externalId, ownerId, search } = input as Partial<Record<string, string>>;
  const filters = {
    apiId,
    // In v1, both are the owner, and `externalId` wins.
    externalId: externalId ?? ownerId,
    // Blanks and the case of a search make no difference.
    search: search === undefined ? undefined : search.trim().toLowerCase() || undefined,
  };
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const shown = given.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", ");
  return `${operation} of ${version}${shown === "" ? "" : ` (${shown})`}`;
}

/**
 * `expires` is a time in seconds, where milliseconds belong. It is no finding while the emulator's clock
 * is before 1970-04-26.
 */
function expiresInSeconds({ input, operation, requestId, time }: SeenCall): Mistake | undefined {
  const expires = secondsIn(input, time);
  if (expires === undefined) return undefined;
  return {
    subject: operation,
    why: `${operation} was sent a time in seconds: ${inSecondsText(expires)}`,
    advice:
      "Send unix milliseconds: Date.now() + 86_400_000 is tomorrow. A time in seconds has to be multiplied by 1,000.",
    requests: [requestId],
  };
}

/** The first `expires` in seconds, of the input or of one of its keys. */
function secondsIn(input: unknown, now: number): number | undefined {
  const { expires, keys } = Object(input) as Readonly<Record<"expires" | "keys", unknown>>;
  if (isInSeconds(expires, now)) return expires;
  // keys.migrateKeys takes a list of keys.
  if (!Array.isArray(keys)) return undefined;
  return keys.map((key) => secondsIn(key, now)).find((found) => found !== undefined);
}

/** Members that anyone who may list keys can read, or that show up in analytics. */
const TEXTS = new Set(["name", "meta", "externalId", "ownerId", "tags", "identifier"]);
/** Shorter tokens and values may be ordinary words. */
const MIN_LENGTH = 12;
const WORD = /\b[\w-]{12,}/g;
/** How deep `meta` is read. */
const MAX_DEPTH = 10;

const STORED =
  "Never store a key's value or a root key in a record: everyone who may list keys can read it there. Keep the keyId. To show the value again later, create the key with recoverable: true.";
const LIMITED =
  "Limit by the keyId, which keys.verifyKey answers, or by a hash of the value: identifiers are stored, and show up in logs and analytics.";

/**
 * The value of a key, or a token, is sent in a text that the service stores. Only those with at least
 * 12 characters, a letter and a digit count. A token that is not listed counts if it begins like a root
 * key, with `unkey_`.
 */
function secretInText(call: SeenCall, world: RuleWorld): Mistake | undefined {
  const { input, operation, requestId, token } = call;
  // Without listed tokens, any word is a valid token, even the name of a test.
  const isRootKey = (word: string) => word === token && word.startsWith("unkey_");
  const isSecret = (word: string) =>
    /\d/.test(word) && /[a-z]/i.test(word) && (isRootKey(word) || world.isSecret(word));
  const hasSecret = (text: string) => {
    if (text.length < MIN_LENGTH || !/\d/.test(text)) return false;
    const words = text.match(WORD) ?? [];
    // A value that a test chose may contain other characters.
    return words.some(isSecret) || (words[0] !== text && isSecret(text));
  };
  const member = memberWith(input, hasSecret);
  if (member === undefined) return undefined;
  return {
    subject: `${operation} ${member}`,
    why: `${operation} was sent the value of a key or a token in ${member}`,
    advice: member === "identifier" ? LIMITED : STORED,
    requests: [requestId],
  };
}

type Test = (text: string) => boolean;

/** The name of the first member with a text that passes the test. */
function memberWith(input: unknown, test: Test): string | undefined {
  if (Array.isArray(input)) return firstOf(input, test);
  if (!isRecord(input)) return undefined;
  // Faster than a look-up of each of these members: most inputs have two or three members.
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
  for (const name in members) {
    if (test(name) || hasText(members[name], test, depth + 1)) return true;
  }
  return false;
}

function firstOf(items: readonly unknown[], test: Test): string | undefined {
  for (const item of items) {
    const found = memberWith(item, test);
    if (found !== undefined) return found;
  }
  return undefined;
}

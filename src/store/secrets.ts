import { maskKeyValues } from "./ids/key-value.ts";
import { HashedValue, hashValue, type KeySecret } from "./key-secret.ts";

/** Shorter tokens and values are not masked, because they may be ordinary words of a text. */
export const MIN_SECRET_LENGTH = 6;
/** The longest key value. */
const MAX_VALUE_LENGTH = 512;
/** Secrets are found by this many first characters: as many as a shortened one still shows. */
const START_LENGTH = 5;
const MASK = "***";
/** The end of a text that was shortened or masked in part. */
const CUT = /…|\*\*\*/g;
/** Text up to a mask or a quote, after a part of a secret that was masked already. */
const REST = /\*\*\*(?:\\.|[^"\\])*(?=")|\*\*\*|/y;
/** The beginning of a generated value that was shortened: only whole values can be recognised. */
const CUT_VALUE = /(?<![1-9A-HJ-NP-Za-km-z])[1-9A-HJ-NP-Za-km-z]{12,}(?=…)/g;
/** Text that may be a key value of which only the hash is known. */
const WORD = new RegExp(`[\\w.~+/=-]{${MIN_SECRET_LENGTH},${MAX_VALUE_LENGTH}}`, "g");
const PART = new RegExp(`\\w{${MIN_SECRET_LENGTH},}`, "g");

/** What `JSON.stringify` escapes in a text. */
// oxlint-disable-next-line no-control-regex -- it matches control characters on purpose
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Secrets with the same first characters. A fixture may list thousands with one prefix. */
class Group {
  readonly #texts = new Set<string>();
  readonly #lengths = new Set<number>();
  #sorted: string[] | undefined;

  add(text: string): void {
    this.#texts.add(text);
    this.#lengths.add(text.length);
    this.#sorted = undefined;
  }

  /** Where the longest of these secrets that begins at `at` ends; undefined if none does. */
  endOfWhole(text: string, at: number): number | undefined {
    let longest = 0;
    for (const length of this.#lengths) {
      if (length > longest && this.#texts.has(text.slice(at, at + length))) longest = length;
    }
    return longest === 0 ? undefined : at + longest;
  }

  /** Whether one of these secrets begins with this text. */
  hasStart(start: string): boolean {
    this.#sorted ??= [...this.#texts].sort();
    let [from, to] = [0, this.#sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#sorted[middle] ?? "") < start) from = middle + 1;
      else to = middle;
    }
    return this.#sorted[from]?.startsWith(start) === true;
  }
}

/**
 * The tokens and key values that no log, journal, event or hint shows. All worlds of an emulator share
 * one, because a client may send a secret of another world. A secret stays in it when its key or token
 * is deleted, because the journal may still have requests that contain it.
 *
 * Generated values are not in it: their form tells what they are.
 */
export class Secrets {
  readonly #byStart = new Map<string, Group>();
  /** The first code unit of each, to pass over most places of a text quickly. */
  readonly #firstUnits = new Set<number>();
  readonly #hashes = new Set<string>();

  /** Adds a token, or a key value that a fixture or a test gave. */
  add(secret: string): void {
    if (secret.length < MIN_SECRET_LENGTH) return;
    this.#addForm(secret);
    // Messages quote texts as JSON.
    if (ESCAPED.test(secret)) this.#addForm(JSON.stringify(secret).slice(1, -1));
  }

  /** Adds what is known of a key value. */
  addValue(secret: KeySecret): void {
    if (secret instanceof HashedValue) this.#hashes.add(secret.hash);
    else this.add(secret);
  }

  #addForm(text: string): void {
    const start = text.slice(0, START_LENGTH);
    const group = this.#byStart.get(start) ?? new Group();
    this.#byStart.set(start, group);
    this.#firstUnits.add(text.charCodeAt(0));
    group.add(text);
  }

  /**
   * The text with all secrets masked, also one that was shortened or masked in part.
   * @param token another secret: the token of the request
   */
  mask(text: string, token = ""): string {
    const withoutToken = token.length < MIN_SECRET_LENGTH ? text : maskToken(text, token);
    const withoutKnown = this.#maskKnown(withoutToken);
    return maskKeyValues(this.#maskHashed(withoutKnown)).replace(CUT_VALUE, maskCutValue);
  }

  #maskKnown(text: string): string {
    if (this.#byStart.size === 0) return text;
    const cuts = Array.from(text.matchAll(CUT), ({ index }) => index);
    let masked = "";
    let [done, next] = [0, 0];
    for (let at = 0; at <= text.length - START_LENGTH; at += 1) {
      if (!this.#firstUnits.has(text.charCodeAt(at))) continue;
      const group = this.#byStart.get(text.slice(at, at + START_LENGTH));
      if (group === undefined) continue;
      while ((cuts[next] ?? Infinity) < at + START_LENGTH) next += 1;
      const end = group.endOfWhole(text, at) ?? endOfCut(text, at, cuts[next], group);
      if (end === undefined) continue;
      masked += text.slice(done, at) + MASK;
      done = end;
      at = end - 1;
    }
    return done === 0 ? text : masked + text.slice(done);
  }

  #maskHashed(text: string): string {
    if (this.#hashes.size === 0) return text;
    const maskValue = (word: string) => (this.#hashes.has(hashValue(word)) ? MASK : word);
    if (text.length <= MAX_VALUE_LENGTH && maskValue(text) === MASK) return MASK;
    return text.replace(WORD, (word) => {
      const masked = maskValue(word);
      return masked === MASK || !/\W/.test(word) ? masked : word.replace(PART, maskValue);
    });
  }
}

/** Where a secret ends that begins here and was shortened, or masked in part, at `cut`. */
function endOfCut(
  text: string,
  at: number,
  cut: number | undefined,
  group: Group,
): number | undefined {
  if (cut === undefined || cut - at > MAX_VALUE_LENGTH) return undefined;
  if (!group.hasStart(text.slice(at, cut))) return undefined;
  REST.lastIndex = cut;
  return cut + (REST.exec(text)?.[0].length ?? 0);
}

/** Words have no digits, and values nearly always have some. */
function maskCutValue(digits: string): string {
  return /\d/.test(digits) ? digits.slice(0, START_LENGTH) + MASK : digits;
}

function maskToken(text: string, token: string): string {
  return text.replaceAll(token, MASK).replaceAll(JSON.stringify(token).slice(1, -1), MASK);
}

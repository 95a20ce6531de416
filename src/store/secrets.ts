import { decodeText } from "../base/wording/decode-text.ts";
import { endsInKeyValue, keyValueSpans, type Span } from "./ids/key-value.ts";
import { HashedValue, hashValue, readPrefixedKey, type KeySecret } from "./key-secret.ts";
import { SecretGroup, START_LENGTH } from "./secret-group.ts";

/** Shorter tokens and values are not masked, because they may be ordinary words. */
export const MIN_SECRET_LENGTH = 6;
/** The longest key value. */
const MAX_VALUE_LENGTH = 512;
const MASK = "***";
/** Secrets that were encoded more often are not found. */
const MAX_DECODINGS = 3;
/** Marks the end of a text that was shortened or partly masked. */
const CUT = /\u2026|\*\*\*/g;
/** Perhaps the beginning of a generated value that was shortened. Only whole values can be recognised. */
const CUT_VALUE = /(?<![1-9A-HJ-NP-Za-km-z])[1-9A-HJ-NP-Za-km-z]{12,}(?=\u2026)/g;
/** Characters that `JSON.stringify` escapes. */
// oxlint-disable-next-line no-control-regex -- it matches control characters on purpose
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** The `start` of any key shows at least this many characters. */
const SHOWN_START = 4;
/** Text that may be a value with a known hash: words, parts of words, and quoted text. */
const CANDIDATES = [
  /[^\s"'`<>(){}[\],;]+/g,
  /[^\s"'`<>(){}[\],;/=&?#:]+/g,
  /(?<=")(?:[^"\\]|\\.){6,1000}(?=")/g,
  /(?<=')[^']{6,512}(?=')/g,
];
/** Punctuation at the end of a sentence, which is no part of a value. */
const PUNCTUATION = /[.:!?\u2026]+$/;

/**
 * The tokens and key values that no log, journal, event or hint shows. All worlds of an emulator share
 * one instance, because a client may send a secret of another world. A secret is kept when its key or
 * token is deleted, because the journal may still have requests that contain it.
 *
 * Generated values are not added, because they are recognised by their form.
 */
export class Secrets {
  readonly #known = new SecretGroups();
  readonly #hashes = new Set<string>();
  /** The first characters of values with a known hash; undefined if those of one are not known. */
  #starts: Set<string> | undefined = new Set();
  /** The last token that a request sent. */
  #sent = { token: "", groups: new SecretGroups() };

  /** Adds a token, or a key value that a fixture or a test gave. */
  add(secret: string): void {
    this.#known.add(secret);
  }

  /**
   * Adds what is known of a key value.
   * @param start its first characters, if only its hash is known
   */
  addValue(secret: KeySecret, start: string): void {
    if (!(secret instanceof HashedValue)) return this.add(secret);
    this.#hashes.add(secret.hash);
    if (start.length < SHOWN_START) this.#starts = undefined;
    this.#starts?.add(start.slice(0, SHOWN_START));
  }

  /**
   * Whether this may be a whole secret: it is a known one, or looks like a generated value. It is quick,
   * and builds no index.
   */
  mayBe(text: string): boolean {
    return (
      this.#known.at(text, 0)?.endOf(text, 0, undefined) === text.length ||
      endsInKeyValue(text) ||
      (this.#hashes.size > 0 && this.#isHashed(text))
    );
  }

  /**
   * The text with all secrets masked, even if they were encoded, shortened or partly masked.
   * @param token the token of the request, which is a secret too
   */
  mask(text: string, token = ""): string {
    let shown = this.#cover(text, token);
    let decoded = shown;
    for (let round = 0; round < MAX_DECODINGS; round += 1) {
      const next = decodeText(decoded);
      if (next === decoded) break;
      decoded = this.#cover(next, token);
      // Without a secret, the text keeps the escapes that were sent.
      if (decoded !== next) shown = decoded;
    }
    return shown;
  }

  #cover(text: string, token: string): string {
    const spans = [
      ...this.#knownIn(text, token),
      ...this.#hashedIn(text),
      ...keyValueSpans(text),
      ...cutValuesIn(text),
    ];
    if (spans.length === 0) return text;
    let masked = "";
    let done = 0;
    for (const [from, to] of spans.sort(([one], [other]) => one - other)) {
      // Secrets that overlap are masked as one.
      if (from >= done) masked += text.slice(done, from) + MASK;
      done = Math.max(done, to);
    }
    return masked + text.slice(done);
  }

  #knownIn(text: string, token: string): Span[] {
    if (this.#sent.token !== token) {
      this.#sent = { token, groups: new SecretGroups() };
      this.#sent.groups.add(token);
    }
    const all = [this.#known, this.#sent.groups].filter((groups) => !groups.isEmpty);
    if (all.length === 0) return [];
    const cuts = Array.from(text.matchAll(CUT), ({ index }) => index);
    const spans: Span[] = [];
    let next = 0;
    for (let at = 0; at <= text.length - START_LENGTH; at += 1) {
      for (const groups of all) {
        const group = groups.at(text, at);
        if (group === undefined) continue;
        while ((cuts[next] ?? Infinity) < at + START_LENGTH) next += 1;
        const end = group.endOf(text, at, cuts[next]);
        if (end !== undefined) spans.push([at, end]);
      }
    }
    return spans;
  }

  #hashedIn(text: string): Span[] {
    if (this.#hashes.size === 0) return [];
    const whole: Span[] = this.#isHashed(text) ? [[0, text.length]] : [];
    const words = CANDIDATES.flatMap((candidates) =>
      Array.from(text.matchAll(candidates), ({ 0: word, index }): Span | undefined => {
        const plain = word.replace(PUNCTUATION, "");
        if (this.#isHashed(word)) return [index, index + word.length];
        return this.#isHashed(plain) ? [index, index + plain.length] : undefined;
      }),
    );
    return [...whole, ...words.filter((span) => span !== undefined)];
  }

  #isHashed(word: string): boolean {
    const isLong = word.length >= MIN_SECRET_LENGTH && word.length <= MAX_VALUE_LENGTH;
    if (!isLong || this.#starts?.has(word.slice(0, SHOWN_START)) === false) return false;
    if (this.#hashes.has(hashValue(word))) return true;
    const prefixed = readPrefixedKey(word);
    return prefixed !== undefined && this.#hashes.has(prefixed.hash);
  }
}

/** Secrets by their first characters. */
class SecretGroups {
  readonly #byStart = new Map<string, SecretGroup>();
  /** The first code unit of each secret, to skip most places of a text quickly. */
  readonly #firstUnits = new Set<number>();

  get isEmpty(): boolean {
    return this.#byStart.size === 0;
  }

  add(secret: string): void {
    if (secret.length < MIN_SECRET_LENGTH) return;
    this.#addForm(secret);
    // Messages quote texts as JSON.
    if (ESCAPED.test(secret)) this.#addForm(JSON.stringify(secret).slice(1, -1));
    // JSON numbers lose digits.
    if (/^\d{16,}$/.test(secret)) this.#addForm(String(Number(secret)));
  }

  #addForm(text: string): void {
    const start = text.slice(0, START_LENGTH);
    const group = this.#byStart.get(start) ?? new SecretGroup();
    this.#byStart.set(start, group);
    this.#firstUnits.add(text.charCodeAt(0));
    group.add(text);
  }

  /** The secrets that may begin here. */
  at(text: string, index: number): SecretGroup | undefined {
    if (!this.#firstUnits.has(text.charCodeAt(index))) return undefined;
    return this.#byStart.get(text.slice(index, index + START_LENGTH));
  }
}

/** Finds what is probably the beginning of a generated value, and leaves out its first characters. */
function cutValuesIn(text: string): Span[] {
  // Words have no decimal digits. Values nearly always have some.
  return Array.from(text.matchAll(CUT_VALUE))
    .filter(([digits]) => /\d/.test(digits))
    .map(({ 0: digits, index }): Span => [index + START_LENGTH, index + digits.length]);
}

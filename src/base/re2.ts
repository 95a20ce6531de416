/** The members of RE2's classes that JavaScript lacks or defines differently. */
const classes: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7F",
  blank: "\\t\\x20",
  cntrl: "\\x00-\\x1F\\x7F",
  digit: "0-9",
  graph: "\\x21-\\x7E",
  lower: "a-z",
  print: "\\x20-\\x7E",
  punct: "\\x21-\\x2F\\x3A-\\x40\\x5B-\\x60\\x7B-\\x7E",
  space: "\\t\\n\\v\\f\\r\\x20",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
  d: "0-9",
  s: "\\t\\n\\f\\r\\x20",
  w: "0-9A-Za-z_",
};

/** A character or a class like `\d`, inside or outside brackets. */
const CHARACTER =
  /\\(?:(?<perl>[dsw])|(?<notPerl>[DSW])|(?<category>[pP](?:\{\^?\w+\}|[A-Z]))|x\{(?<code>[\dA-Fa-f]{1,6})\}|x(?<byte>[\dA-Fa-f]{2})|(?<octal>0[0-7]{0,2}|[1-7][0-7]{1,2})|(?<control>[afnrtv])|(?<escaped>[!-/:-@[-`{-~\s]))|(?<plain>[^\\])/suy;
/** A named class like `[:alpha:]`, which is written inside brackets. */
const NAMED = /\[:(?<not>\^?)(?<name>\w+):\]/y;
/** Other syntax outside brackets. `\Q` quotes until `\E`. */
const OUTSIDE =
  /\\Q(?<quoted>.*?)(?:\\E|$)|(?<edge>\\[Az]|[$^.])|(?<same>\\[bB]|\(\?:|\((?!\?)|[|)*+?])|\(\?P?<(?<group>[A-Za-z_]\w*)>|(?<times>\{\d+(?:,\d*)?\})/sy;
const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

/**
 * Translates a regular expression from RE2, which the service uses, to JavaScript.
 * @returns a problem with its place, if RE2 or JavaScript does not support the expression
 */
export function toRegExp(text: string, ignoreCase = false): RegExp | { readonly problem: string } {
  const [head = "", flags = ""] = /^\(\?([ims]+)\)/.exec(text) ?? [];
  const edges: Readonly<Record<string, string>> = {
    "\\A": "(?<![^])",
    "\\z": "(?![^])",
    "^": flags.includes("m") ? "(?<![^\\n])" : "(?<![^])",
    $: flags.includes("m") ? "(?![^\\n])" : "(?![^])",
    ".": flags.includes("s") ? "[^]" : "[^\\n]",
  };
  let at = head.length;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found && (found.groups as Readonly<Record<string, string | undefined>>);
  };
  /** Reads one member of a class: the code of a character, or a nested class. */
  const takeMember = (): number | string | undefined => {
    const named = take(NAMED);
    if (named) return membersOf(named["name"], named["not"]);
    const one = take(CHARACTER);
    if (!one) return undefined;
    const { byte, category, code, control, escaped, notPerl, octal, perl, plain } = one;
    if (perl !== undefined) return membersOf(perl);
    if (notPerl !== undefined) return membersOf(notPerl.toLowerCase(), "^");
    if (category !== undefined) return propertyOf(category);
    if (control !== undefined) return CONTROLS[control];
    if (octal !== undefined) return Number.parseInt(octal, 8);
    const hex = code ?? byte;
    return hex === undefined ? (escaped ?? plain)?.codePointAt(0) : Number.parseInt(hex, 16);
  };
  const takeClass = (): string | undefined => {
    const parts = [text[at + 1] === "^" ? "[^" : "["];
    at += parts[0]?.length ?? 0;
    const begin = at;
    while (text[at] !== "]" || at === begin) {
      const from = takeMember();
      if (from === undefined) return undefined;
      const isRange = text[at] === "-" && (text[at + 1] ?? "]") !== "]";
      if (isRange) at += 1;
      const to = isRange ? takeMember() : from;
      if (isRange && (typeof from !== "number" || typeof to !== "number" || to < from))
        return undefined;
      parts.push(isRange ? `${written(from)}-${written(to)}` : written(from));
    }
    at += 1;
    return `${parts.join("")}]`;
  };
  let result = "";
  while (at < text.length) {
    const before = at;
    const isClass = text[at] === "[";
    const outside = isClass ? null : take(OUTSIDE);
    const { edge, group, quoted, same, times } = outside ?? {};
    // RE2 allows at most 1,000 repetitions.
    if (times?.match(/\d+/g)?.some((each) => Number(each) > 1_000)) return unsupported(before);
    if (quoted !== undefined) for (const each of quoted) result += written(each.codePointAt(0));
    else if (edge !== undefined) result += edges[edge];
    else if (group !== undefined) result += `(?<${group}>`;
    else if (outside) result += same ?? times;
    else {
      const member = isClass ? takeClass() : text.startsWith("(?", at) ? undefined : takeMember();
      if (member === undefined) return unsupported(before);
      result += written(member);
    }
  }
  try {
    return new RegExp(result, ignoreCase || flags.includes("i") ? "vi" : "v");
  } catch {
    return unsupported();
  }
}

/** Writes a character as its code, so that brackets and hyphens have no special meaning. */
function written(part: number | string | undefined): string {
  return typeof part === "number" ? `\\u{${part.toString(16)}}` : (part ?? "");
}

function membersOf(name = "", not = ""): string | undefined {
  const members = classes[name];
  return members && `[${not}${members}]`;
}

/** A category or a script like `\pN`, `\p{Lu}` and `\p{Greek}`; with `^` or `\P`, the complement. */
function propertyOf(category: string): string {
  const [, not, name = ""] = /^.\{?(\^?)(\w+)/.exec(category) ?? [];
  const isOther = (category[0] === "P") !== (not === "^");
  return `\\${isOther ? "P" : "p"}{${name.length > 2 ? `Script=${name}` : name}}`;
}

function unsupported(at?: number): { readonly problem: string } {
  const place = at === undefined ? "" : `; unsupported at character ${at + 1}`;
  return {
    problem: `RE2 and JavaScript have to support it, without lookaround and backreferences, and with flags like (?i) only at its start${place}`,
  };
}

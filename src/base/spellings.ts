/**
 * The options that hold a list, by the singular that names their flag. Code and configuration files name
 * them in the plural. Every door takes both.
 */
export const plurals = {
  fixture: "fixtures",
  token: "tokens",
  quirk: "quirks",
  operation: "operations",
  ignoreFinding: "ignoreFindings",
  allowHost: "allowHosts",
  allowOrigin: "allowOrigins",
} as const;

/** The name of an option in code and configuration files. */
export function inPlural(name: string): string {
  return (plurals as Readonly<Record<string, string>>)[name] ?? name;
}

export interface Respelled {
  readonly options: Readonly<Record<string, unknown>>;
  /** A line for each option that is there in both spellings. */
  readonly lines: readonly string[];
}

/** Names each list as `known` does. For a plural, a single item becomes a list of one. */
export function respell(given: object, known: readonly string[]): Respelled {
  const options: Record<string, unknown> = { ...given };
  const lines: string[] = [];
  for (const [singular, plural] of Object.entries(plurals)) {
    const [wanted, other] = known.includes(singular) ? [singular, plural] : [plural, singular];
    if (!known.includes(wanted) || options[other] === undefined) continue;
    if (options[wanted] !== undefined) {
      lines.push(
        `${singular} and ${plural}: expected one of them, because they are the same option`,
      );
    }
    // A list that is no list is refused with the others.
    options[wanted] = wanted === plural ? [options[other]].flat() : options[other];
    delete options[other];
  }
  return { options, lines };
}

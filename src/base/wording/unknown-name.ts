import leven from "leven";

/** `unknown member, did you mean "prefix"? (known: apiId, prefix, …)` */
export function unknownName(noun: string, name: string, known: readonly string[]): string {
  return describeUnknown(noun, closest(name, known), known);
}

/** The same, with the name that was most likely meant; undefined if none is close. */
export function describeUnknown(
  subject: string,
  meant: string | undefined,
  known: readonly string[],
): string {
  const hint = meant === undefined ? "" : `, did you mean "${meant}"?`;
  return `unknown ${subject}${hint} (known: ${known.join(", ")})`;
}

/** The time to compare grows with the length. Known names are shorter than this. */
const COMPARED_CHARACTERS = 40;

/**
 * The known name that a misspelt one most likely stands for: within two edits, or within one for
 * names of up to three characters. Undefined if none is so close.
 */
export function closest(name: string, known: readonly string[]): string | undefined {
  const tolerance = name.length > 3 ? 2 : 1;
  const [best] = known
    .map((candidate) => ({
      candidate,
      distance: leven(name.slice(0, COMPARED_CHARACTERS), candidate),
    }))
    .filter(({ distance }) => distance <= tolerance)
    .toSorted((a, b) => a.distance - b.distance);
  return best?.candidate;
}

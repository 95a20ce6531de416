import { isSecretName, type Mask, maskJson } from "../../base/wording/mask.ts";
import type { Difference } from "../../base/json.ts";
import { printable, printableJson, shorten } from "../../base/wording/text.ts";
import type { JournalEntry } from "./recorded-request.ts";
import type { RequestFilter } from "./request-filter.ts";

/** A wait for which too few requests came. */
interface Wait {
  readonly filter: RequestFilter;
  readonly count: number;
  readonly milliseconds: number;
  /** All entries of the journal, the oldest first. */
  readonly seen: readonly JournalEntry[];
  /** The entries that match the filter, including some that the journal may have dropped. */
  readonly matching: ReadonlySet<JournalEntry>;
}

/** How many requests came, where the nearest other one differs from the filter, and what else came. */
export function shortfall(wait: Wait, mask: Mask): string {
  const { count, filter, matching, milliseconds, seen } = wait;
  const others = seen.filter((entry) => !matching.has(entry));
  const expected = `expected ${count} of ${textOf(filter, mask)} within ${milliseconds} ms`;
  const reason = `${expected}, got ${seen.length - others.length}`;
  return printable(`${reason}${nearestOf(others, filter, mask)}; seen: ${namesOf(seen)}`);
}

/** The members of a filter, in the order of their importance. */
const members = ["operation", "version", "status"] as const;

/** `keys.createKey with status 200, match {"name":"CI"}` */
function textOf({ match, operation = "any operation", ...rest }: RequestFilter, mask: Mask) {
  const others = members.flatMap((name) =>
    name === "operation" || rest[name] === undefined ? [] : [`${name} ${rest[name]}`],
  );
  if (typeof match === "function") others.push("match (a function)");
  else if (match !== undefined) others.push(`match ${valueText(match, mask, 500)}`);
  return others.length === 0 ? operation : `${operation} with ${others.join(", ")}`;
}

const MAX_DIFFERENCES = 3;

/** `; nearest: keys.createKey 200, where match.name is "ci"`; the newest of several. */
function nearestOf(others: readonly JournalEntry[], filter: RequestFilter, mask: Mask): string {
  let nearest: { entry: JournalEntry; differing: readonly Difference[] } | undefined;
  for (const entry of others) {
    const differing = differencesOf(entry, filter);
    if (nearest === undefined || distanceOf(differing) <= distanceOf(nearest.differing)) {
      nearest = { entry, differing };
    }
  }
  if (nearest === undefined) return "";
  const { differing, entry } = nearest;
  const toText = (text: string) => mask(entry.mask(text));
  const shown = differing.slice(0, MAX_DIFFERENCES).map((each) => differenceText(each, toText));
  if (differing.length > shown.length) shown.push(`${differing.length - shown.length} more differ`);
  return `; nearest: ${nameOf(entry)}, where ${shown.join(" and ")}`;
}

/**
 * A call of another operation is farther away than any call of the same operation, and a missing member
 * farther than a wrong one.
 */
function distanceOf(differing: readonly Difference[]): number {
  const missing = differing.filter(({ found }) => found === undefined);
  const isOther = differing[0]?.path[0] === "operation";
  return differing.length + missing.length + (isOther ? 1_000_000 : 0);
}

/** Where an entry that does not match a filter differs from it, unmasked. */
function differencesOf(
  entry: JournalEntry,
  { match, ...filter }: RequestFilter,
): readonly Difference[] {
  const plain = members.flatMap((name) =>
    filter[name] === undefined || filter[name] === entry[name]
      ? []
      : [{ path: [name], found: entry[name] }],
  );
  if (match === undefined) return plain;
  // The function is not called again, because it may have an effect.
  if (typeof match === "function") {
    return plain.length > 0 ? plain : [{ path: ["match"], found: false }];
  }
  const inInput = entry.input.differences(match) ?? [{ path: [], found: "(not kept)" }];
  return [...plain, ...inInput.map(({ found, path }) => ({ path: ["match", ...path], found }))];
}

function differenceText({ found, path }: Difference, mask: Mask): string {
  const isSecret = path.some(isSecretName);
  const value = isSecret ? "another" : valueText(found, mask, 60);
  return `${mask(path.map(String).join("."))} is ${value}`;
}

function valueText(value: unknown, mask: Mask, length: number): string {
  return value === undefined ? "missing" : shorten(printableJson(maskJson(value, mask)), length);
}

function nameOf({ mask, method, operation, path, status }: JournalEntry): string {
  return `${operation ?? mask(`${method} ${path}`)} ${status ?? "-"}`;
}

/** The last requests, in the order in which they came. */
function namesOf(seen: readonly JournalEntry[]): string {
  return seen.length === 0 ? "nothing" : shorten(seen.slice(-20).map(nameOf).join(", "), 500);
}

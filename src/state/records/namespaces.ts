import * as z from "zod/mini";
import { lazily } from "../../base/lazily.ts";
import * as f from "../../schema/fields.ts";
import { type Problem, throwProblems } from "../../schema/problems.ts";
import { identify, type IdSource } from "../id-maker.ts";
import { NamedSet } from "./named-set.ts";
import type { OnChange } from "./record-set.ts";
import { LargeTable } from "../tables/table.ts";
import { duration, type Identified, MAX_OBJECTS, ownId } from "../vocabulary.ts";

// Namespaces of rate limits that belong to no key, and their overrides.

const overrideInit = lazily(() =>
  f.component("RatelimitOverride", "A limit and a window that replace the values of a call.", {
    id: z.optional(ownId()),
    identifier: f.described(
      f.text({ min: 1, max: 512 }),
      "The identifier that it is for, unique in the namespace. `*` stands for any characters except line breaks.",
    ),
    limit: f.described(f.integer({ min: 0 }), "Uses in one window; 0 refuses every call."),
    duration: duration({ min: 1000 }, "The window, in milliseconds."),
  }),
);
type OverrideInit = z.infer<ReturnType<typeof overrideInit>>;

/** A limit and a window that replace the values of a call. */
export type RatelimitOverride = Readonly<Identified<OverrideInit>>;

export const ratelimitNamespaceInit = lazily(() =>
  f.objectOf({
    id: z.optional(ownId()),
    name: f.described(f.text(), "Calls name the namespace by it, or by its id."),
    deleted: f.optional(
      f.flag(),
      "Whether it was deleted, as in the service's dashboard. Default: false.",
    ),
    overrides: f.optional(
      f.listOf(overrideInit(), "overrides", { max: MAX_OBJECTS }),
      "Its overrides, the oldest first. Of several with a `*` that fit, the first one applies.",
    ),
  }),
);
export type RatelimitNamespaceInit = z.output<ReturnType<typeof ratelimitNamespaceInit>>;
/** The same as a person writes it. */
export type RatelimitNamespaceInput = z.input<ReturnType<typeof ratelimitNamespaceInit>>;

export interface NamespaceMembers extends Identified<RatelimitNamespaceInit> {
  readonly overrides?: RatelimitOverride[] | undefined;
}

export class RatelimitNamespace {
  readonly id: string;
  readonly name: string;
  readonly deleted: boolean;
  /** The oldest first. */
  readonly overrides: readonly RatelimitOverride[];
  #lookup: Lookup | undefined;

  constructor(init: NamespaceMembers) {
    this.id = init.id;
    this.name = init.name;
    this.deleted = init.deleted ?? false;
    this.overrides = Object.freeze((init.overrides ?? []).map(toOverride));
  }

  /** The override with exactly this identifier. Uses an index, so it needs no scan. */
  static overrideOf(namespace: RatelimitNamespace, identifier: string) {
    return (namespace.#lookup ??= toLookup(namespace)).exact.get(identifier);
  }

  /**
   * The override that applies to calls with this identifier: the exact one, else the first one with a
   * `*` that matches. Those of a deleted namespace do not apply.
   */
  static overrideFor(
    namespace: RatelimitNamespace,
    identifier: string,
  ): RatelimitOverride | undefined {
    if (namespace.deleted || namespace.overrides.length === 0) return undefined;
    const { exact, patterns } = (namespace.#lookup ??= toLookup(namespace));
    return (
      exact.get(identifier) ??
      patterns.find(({ pattern }) => matches(pattern, identifier))?.override
    );
  }
}

interface Lookup {
  readonly exact: ReadonlyMap<string, RatelimitOverride>;
  readonly patterns: readonly {
    readonly pattern: Pattern;
    readonly override: RatelimitOverride;
  }[];
}

function toLookup({ overrides }: RatelimitNamespace): Lookup {
  const withWildcard = overrides.filter(({ identifier }) => identifier.includes("*"));
  return {
    exact: new Map(overrides.map((override) => [override.identifier, override])),
    patterns: withWildcard.map((override) => ({
      pattern: override.identifier.split("*"),
      override,
    })),
  };
}

/** Returns a frozen object unchanged: it comes from an earlier version of the record. */
function toOverride(override: RatelimitOverride): RatelimitOverride {
  if (Object.isFrozen(override)) return override;
  const { id, identifier, limit, duration } = override;
  return Object.freeze({ id, identifier, limit, duration });
}

/** Problems of a namespace that its schema cannot find: overrides with the same identifier or id. */
export function overrideProblems({ overrides = [] }: RatelimitNamespaceInit): Problem[] {
  return (["identifier", "id"] as const).flatMap((member) => {
    const holders = new Map<string, number>();
    return overrides.flatMap(({ [member]: value }, index) => {
      const holder = value === undefined ? undefined : holders.get(value);
      if (value !== undefined && holder === undefined) holders.set(value, index);
      if (holder === undefined) return [];
      const expected = `duplicate of overrides[${holder}].${member}`;
      return [{ path: ["overrides", index, member], expected }];
    });
  });
}

/** A text with `*`, taken apart: the texts between the stars. */
export type Pattern = readonly string[];

/**
 * Whether a whole text matches. A `*` stands for any characters but line breaks, also for none. Each
 * part is looked for once, from left to right, so no pattern takes long.
 */
export function matches(pattern: Pattern, text: string): boolean {
  const [first = "", ...rest] = pattern;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let position = first.length;
  for (const part of rest) {
    // The leftmost place leaves most room for later parts.
    const start = text.indexOf(part, position);
    if (start === -1 || hasBreak(text, position, start)) return false;
    position = start + part.length;
  }
  return position <= end && !hasBreak(text, position, end);
}

function hasBreak(text: string, start: number, end: number): boolean {
  return text.slice(start, end).includes("\n");
}

/** The namespaces of rate limits of a workspace. Clients can make any number of them. */
export class RatelimitNamespaces extends NamedSet<
  RatelimitNamespaceInput,
  RatelimitNamespace,
  "name",
  RatelimitNamespaceInit
> {
  readonly #source: IdSource;

  constructor(source: IdSource, onChange: OnChange<RatelimitNamespace>) {
    const table = new LargeTable<RatelimitNamespace>({
      id: { isAfter: (a, b) => (a.id ?? "") > (b.id ?? ""), at: (id) => ({ id }) },
      name: { isAfter: (a, b) => (a.name ?? "") > (b.name ?? ""), at: (name) => ({ name }) },
    });
    super("name", (name) => ({ name }), table, {
      noun: "ratelimit namespace",
      schema: ratelimitNamespaceInit,
      check: (init) => throwProblems("ratelimit namespace", overrideProblems(init)),
      type: RatelimitNamespace,
      build: (init) => toNamespace(init, source),
      onChange,
    });
    this.#source = source;
  }

  /** Adds an override. One with the same identifier is changed, and keeps its id. */
  setOverride(
    namespace: RatelimitNamespace,
    { duration, identifier, limit }: Omit<RatelimitOverride, "id">,
  ): RatelimitOverride {
    const before = RatelimitNamespace.overrideOf(namespace, identifier);
    const init = { id: before?.id, identifier, limit, duration };
    const override = identify("rlor", init, this.#source);
    const { overrides } = namespace;
    this.#revise(
      namespace,
      before === undefined
        ? [...overrides, override]
        : overrides.map((each) => (each === before ? override : each)),
    );
    return override;
  }

  removeOverride(namespace: RatelimitNamespace, override: RatelimitOverride): void {
    this.#revise(
      namespace,
      namespace.overrides.filter((each) => each !== override),
    );
  }

  #revise(before: RatelimitNamespace, overrides: RatelimitOverride[]): void {
    this.write(before, new RatelimitNamespace({ ...before, overrides }));
  }
}

function toNamespace(
  { overrides = [], ...init }: RatelimitNamespaceInit,
  source: IdSource,
): RatelimitNamespace {
  const { id } = identify("rlns", init, source);
  // The given ids first, so that no generated id is the same.
  for (const { id: given } of overrides) if (given) source.ids.observe("rlor", given);
  const identified = overrides.map((override) => identify("rlor", override, source));
  return new RatelimitNamespace({ ...init, id, overrides: identified });
}

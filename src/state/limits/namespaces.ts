import * as z from "zod/mini";
import { lazily } from "../../base/lazily.ts";
import { described, docs, flag, integer, listOf, objectOf, text } from "../../schema/fields.ts";
import type { Problem } from "../../schema/problems.ts";
import { ownId, type Identified } from "../records.ts";
import { duration } from "../vocabulary.ts";
import { matches, toPattern, type Pattern } from "./wildcards.ts";

// Namespaces of rate limits that belong to no key, and their overrides.

const overrideInit = lazily(() =>
  objectOf({
    id: z.optional(ownId()),
    identifier: text({ min: 1, max: 512 }).register(docs, {
      description:
        "The identifier that it is for, unique in the namespace. `*` stands for any number of characters, but for no line break.",
    }),
    limit: integer({ min: 0 }).register(docs, {
      description: "Uses in one window; 0 refuses every call.",
    }),
    duration: duration({ min: 1000 }, "The window, in milliseconds."),
  }).register(docs, {
    id: "RatelimitOverride",
    description: "A limit and a window in place of those that calls send.",
  }),
);
type OverrideInit = z.infer<ReturnType<typeof overrideInit>>;

/** A limit and a window in place of those that calls send. */
export type RatelimitOverride = Readonly<Identified<OverrideInit>>;

export const ratelimitNamespaceInit = lazily(() =>
  objectOf({
    id: z.optional(ownId()),
    name: text().register(docs, { description: "Calls name the namespace by it, or by its id." }),
    deleted: z.optional(
      flag().register(docs, {
        description: "Whether it was deleted, as in the service's dashboard. Default: false.",
      }),
    ),
    overrides: z.optional(
      described(
        listOf(overrideInit(), "overrides"),
        "Its overrides, the oldest first. Of several with a `*` that fit, the first one applies.",
      ),
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
      pattern: toPattern(override.identifier),
      override,
    })),
  };
}

/** The same object if it is frozen: it comes from an earlier version of the record. */
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

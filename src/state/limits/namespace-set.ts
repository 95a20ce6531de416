import { throwProblems } from "../../schema/problems.ts";
import { NamedSet } from "../named-set.ts";
import type { OnChange } from "../record-set.ts";
import { identify, type IdSource } from "../small-sets.ts";
import { LargeTable } from "../tables/table.ts";
import {
  overrideProblems,
  RatelimitNamespace,
  ratelimitNamespaceInit,
  type RatelimitNamespaceInit,
  type RatelimitNamespaceInput,
  type RatelimitOverride,
} from "./namespaces.ts";

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

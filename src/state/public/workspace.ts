import type { Quirks } from "../../api/quirks.ts";
import type { Clock, ClockControl } from "../time/clock.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { Usage, UsageQuery } from "../usage/usage.ts";
import { KeySet } from "../keys/key-set.ts";
import { type KindName, kindNames } from "../records/kind-names.ts";
import type { Sets } from "../sets.ts";
import { NamedSet } from "../records/named-set.ts";
import type { RecordSet } from "../records/record-set.ts";
import type { WorkspaceInit } from "../vocabulary.ts";
import { Collection, KeyCollection, NamedCollection } from "./collection.ts";

/** The part of an internal workspace that a public one shows. */
interface Content extends Sets {
  readonly id: string;
  readonly name: string | undefined;
  readonly enabled: boolean;
  enable(isEnabled: boolean): void;
  readonly clock: Clock;
  readonly quirks: Quirks;
  usageOf(query: UsageQuery): Usage;
}

type CollectionOf<Records> = Records extends KeySet
  ? KeyCollection
  : Records extends NamedSet<infer Init, infer Item, infer _Name, infer _Members>
    ? NamedCollection<Init, Item>
    : Records extends RecordSet<infer Init, infer Item, infer _Members>
      ? Collection<Init, Item>
      : never;

/** A collection of each kind of records. */
export type Collections = { readonly [Kind in KindName]: CollectionOf<Sets[Kind]> };

// oxlint-disable no-unsafe-declaration-merging -- the constructor makes the collections in a loop
/** Gives the class a member for each collection: `keys`, `apis` and so on. */
export interface PublicWorkspace extends Collections {}

/** A workspace as tests and users' operations see it. Its collections stay the same objects. */
export class PublicWorkspace {
  readonly id: string;
  readonly #content: Content;

  constructor(content: Content) {
    this.id = content.id;
    for (const kind of kindNames) {
      Object.defineProperty(this, kind, { enumerable: true, value: collectionOf(content[kind]) });
    }
    this.#content = content;
  }

  get name(): string | undefined {
    return this.#content.name;
  }

  /** Whether its tokens may call operations. If false, they are refused with `FORBIDDEN`. */
  get enabled(): boolean {
    return this.#content.enabled;
  }

  set enabled(isEnabled: boolean) {
    this.#content.enable(isEnabled);
  }

  /** The clock for all times of its records. */
  get clock(): ClockControl {
    return this.#content.clock;
  }

  /**
   * How often keys were verified, by day (UTC) and outcome, as `usage` of the emulator counts them.
   * @throws UsageError for an invalid query, and for an API, a key or an owner that does not exist
   */
  usage(query: UsageQuery = {}): Usage {
    return this.#content.usageOf(query);
  }

  /** Enabled deviations from the documented behaviour. */
  get quirks(): Quirks {
    return this.#content.quirks;
  }

  /** Only these members, so that a printed workspace does not show all its records. */
  toJSON(): WorkspaceInit {
    const { enabled, id, name } = this;
    return { id, name, ...(enabled ? {} : { enabled }) };
  }
}

function collectionOf(records: Sets[KindName]): object {
  if (records instanceof KeySet) return new KeyCollection(records);
  if (records instanceof NamedSet) return new NamedCollection(records as never);
  return new Collection(records as never);
}

/** Workspaces can be created and deleted; their id and name cannot be changed. */
export class WorkspaceCollection extends Collection<WorkspaceInit, PublicWorkspace> {
  override async update(): Promise<never> {
    throw cannotChange();
  }

  override async updateMany(): Promise<never> {
    throw cannotChange();
  }
}

function cannotChange(): UsageError {
  return new UsageError(
    "workspace: its id and name cannot be changed; delete it and create another",
  );
}

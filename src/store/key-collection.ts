import { DEFAULT_KEY_BYTES } from "../contract/create-key.ts";
import { problemLine } from "../schema/problem-line.ts";
import type { Problem } from "../schema/problems.ts";
import { refillProblems } from "../contract/refill-rules.ts";
import { UsageError } from "../usage-error.ts";
import type { Clock } from "./clock.ts";
import { Collection } from "./collection.ts";
import type { Apis, Identities, Permissions, Roles } from "./collections.ts";
import type { IdMaker } from "./ids/id-maker.ts";
import { keyProblems } from "./key-problems.ts";
import { KeyTable, type KeyFilter } from "./tables/key-table.ts";
import { prefixOf, startOf } from "./ids/key-value.ts";
import type { JsonPage, Pages } from "./json/pages.ts";
import { parseRecord } from "./parse-record.ts";
import {
  Key,
  keyInit,
  keyMembers,
  type Identity,
  type KeyInit,
  type KeyMembers,
} from "./records.ts";
import { ownerOf, toKey } from "./existing-key.ts";

/** What a key refers to, what makes its id and value, and where pages are kept. */
export interface KeyDependencies {
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly apis: Apis;
  readonly identities: Identities;
  readonly roles: Roles;
  readonly permissions: Permissions;
  readonly pages: Pages;
}

export interface IssuedKey {
  readonly record: Key;
  /** Undefined for a key of which a fixture gives the `start` alone. */
  readonly value: string | undefined;
}

/** The keys of a workspace, with pages and counts that never scan. */
export class KeyCollection extends Collection<KeyInit, Key, KeyMembers> {
  declare protected table: KeyTable;
  readonly #dependencies: KeyDependencies;

  constructor(dependencies: KeyDependencies) {
    super(new KeyTable(), {
      noun: "key",
      members: Object.keys(keyMembers.shape),
      unique: ["id"],
      type: Key,
      // These serve updates. A new key is made by `issue`, together with what it refers to.
      parse: (members) => parseMembers(members, dependencies),
      build: (members, before) => nextVersion(members, before, dependencies),
    });
    this.#dependencies = dependencies;
  }

  /**
   * Adds a key as a fixture would give it. Its value is made unless `key` gives it, and is kept
   * only where `recoverable` is true.
   * @throws UsageError for members that do not fit, and for an id that is taken
   */
  override createSync(init: KeyInit): Key {
    const parsed = parseRecord("key", keyInit, init);
    refuse(keyProblems(parsed, this.#dependencies.apis.get(parsed.apiId)));
    const { record } = this.issue(parsed, init);
    if (parsed.id !== undefined) this.#dependencies.ids.observe("key", parsed.id);
    return record;
  }

  /**
   * Adds a key whose members are known to fit, and the identity, roles and permissions that it is
   * the first to name.
   * @throws UsageError for an id that is taken, and for an API that does not exist
   */
  issue(init: KeyInit, initialValues?: KeyInit): IssuedKey {
    const { apis, clock, identities, ids, permissions, roles } = this.#dependencies;
    const api = apis.get(init.apiId);
    if (api === undefined) throw new UsageError(`key: apiId: there is no API ${init.apiId}`);
    // Before anything is made: what is refused draws no id.
    if (init.id !== undefined) this.checkFree(init);
    const createdAt = init.createdAt ?? clock.now();
    const prefix = prefixOf(init, api);
    const isUnknown = init.start !== undefined && init.key === undefined;
    const byteLength = init.byteLength ?? api.defaultByteLength ?? DEFAULT_KEY_BYTES;
    const value = init.key ?? (isUnknown ? undefined : ids.keyValue(prefix, byteLength));
    const owner = ownerOf(init);
    const isLinked = init.identityId === undefined && owner !== undefined;
    const identity = isLinked ? identities.ensure(owner) : undefined;
    const record = this.insert(
      toKey(init, {
        id: init.id ?? this.#nextId(createdAt),
        start: init.start ?? startOf(value ?? "", prefix),
        createdAt,
        value,
        identityId: init.identityId ?? identity?.id,
        // The same text for all that name it, and not what each request brought along.
        ownerId: identity?.externalId ?? owner,
        permissions: (init.permissions ?? []).map((name) => permissions.ensure(name).name),
        roles: (init.roles ?? []).map((name) => roles.ensure(name).name),
      }),
      initialValues,
    );
    return { record, value };
  }

  /** A fixture may give an id that would be made later. */
  #nextId(createdAt: number): string {
    const id = this.#dependencies.ids.next("key", createdAt);
    return this.get(id) === undefined ? id : this.#nextId(createdAt);
  }

  /** At most `limit` matching keys, ascending by id, behind the id `after`. */
  page(filter: KeyFilter, after: string | undefined, limit: number): Key[] {
    const stretches = this.table.stretches(filter, after, limit);
    return stretches.flatMap(({ chunk, from, to }) => chunk.slice(from, to));
  }

  /**
   * The same as JSON, which is kept until a key changes, or anything else that is written with it.
   * @param write makes the JSON of a key, the same of the same key until then
   */
  jsonPage(
    filter: KeyFilter,
    after: string | undefined,
    limit: number,
    write: (key: Key) => string,
  ): JsonPage {
    // One more than the page holds tells whether another page follows.
    const stretches = this.table.stretches(filter, after, limit + 1);
    return this.#dependencies.pages.write(stretches, limit, write);
  }

  /** Whether any key belongs to this identity. */
  names({ id }: Identity): boolean {
    return this.table.names(id);
  }

  /** How many keys match. */
  countOf(filter: KeyFilter): number {
    return this.table.count(filter);
  }
}

function parseMembers(members: unknown, { apis }: KeyDependencies): KeyMembers {
  const parsed = parseRecord("key", keyMembers, members);
  const isHeld = apis.get(parsed.apiId)?.keyspace === true;
  const expected = "expected the id of an API with a keyspace";
  const stray = isHeld ? [] : [{ path: ["apiId"], expected, value: parsed.apiId }];
  refuse([...stray, ...refillProblems(parsed)]);
  return parsed;
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  throw new UsageError(problems.map((problem) => problemLine("key", problem)));
}

/** A key that changes says when, and the roles and permissions that it comes to name exist. */
function nextVersion(
  members: KeyMembers,
  before: Key | undefined,
  { clock, permissions, roles }: KeyDependencies,
): Key {
  for (const name of members.roles) roles.ensure(name);
  for (const name of members.permissions) permissions.ensure(name);
  const key = new Key(members);
  const isChanged = JSON.stringify(key) !== JSON.stringify(before);
  const isTimed = key.updatedAt !== before?.updatedAt;
  return isChanged && !isTimed ? new Key({ ...members, updatedAt: clock.now() }) : key;
}

import { DEFAULT_KEY_BYTES } from "../contract/create-key.ts";
import { problemLine } from "../contract/problem-line.ts";
import { refillProblems } from "../contract/refill-rules.ts";
import { UsageError } from "../usage-error.ts";
import type { Clock } from "./clock.ts";
import type { IdMaker } from "./id-maker.ts";
import { IndexedCollection, type Stored, type Writable } from "./indexed-collection.ts";
import type { KeyFilter, KeyIndex } from "./key-index.ts";
import { keyProblems } from "./key-problems.ts";
import { prefixOf, startOf } from "./key-value.ts";
import type { NamedCollection } from "./named-collection.ts";
import type { WrittenPage } from "./ordered-list.ts";
import { parseRecord } from "./parse-record.ts";
import {
  Key,
  keyInit,
  keyMembers,
  type Api,
  type Identity,
  type IdentityInit,
  type KeyInit,
  type KeyMembers,
  type Permission,
  type PermissionInit,
  type Role,
  type RoleInit,
} from "./records.ts";
import { ownerOf, toKey } from "./standing-key.ts";
import { UniqueIndex } from "./unique-index.ts";

/** What a key refers to, and what makes its id and value. */
export interface KeySurroundings {
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly apis: { get(id: string): Api | undefined };
  readonly identities: NamedCollection<IdentityInit, Identity>;
  readonly roles: NamedCollection<RoleInit, Role>;
  readonly permissions: NamedCollection<PermissionInit, Permission>;
  /** Serves pages and counts. */
  readonly index: KeyIndex;
}

export interface IssuedKey {
  readonly record: Stored<Key>;
  /** Undefined for a key of which a fixture gives the `start` alone. */
  readonly value: string | undefined;
}

/** The keys of a workspace, with an ordered index that serves pages and counts. */
export class KeyCollection extends IndexedCollection<KeyInit, Key, KeyMembers> {
  readonly #surroundings: KeySurroundings;

  constructor(surroundings: KeySurroundings) {
    const { index } = surroundings;
    super({
      noun: "key",
      id: "id",
      members: Object.keys(keyMembers.shape),
      unique: [new UniqueIndex<Key>("key", "id")],
      indexes: [index],
      type: Key,
      // A new key is made by `issue`, together with what it refers to; these serve updates.
      parse: (members) => parseMembers(members, surroundings),
      build: (members) => new Key(members),
      touch: (draft, previous) => touch(draft, previous, surroundings),
    });
    this.#surroundings = surroundings;
  }

  /**
   * Adds a key as a fixture would give it. Its value is made unless `key` gives it, and is kept
   * only where `recoverable` is true.
   * @throws UsageError for members that do not fit, and for an id that is taken
   */
  override async create(init: KeyInit): Promise<Stored<Key>> {
    const parsed = parseRecord("key", keyInit, init);
    const problems = keyProblems(parsed, this.#surroundings.apis.get(parsed.apiId));
    if (problems.length > 0) {
      throw new UsageError(problems.map((problem) => problemLine("key", problem)));
    }
    this.checkFree(parsed);
    const issued = this.issue(parsed);
    // In the same tick: what comes next must not depend on how long this takes.
    if (parsed.id !== undefined) this.#surroundings.ids.observe("key", parsed.id);
    return (await issued).record;
  }

  /**
   * Adds a key whose members are known to fit, and the identity, roles and permissions that it
   * is the first to name. All of it is found at once, before the promise resolves.
   */
  issue(init: KeyInit): IssuedKey | Promise<IssuedKey> {
    const pending: Promise<unknown>[] = [];
    const { key, value } = this.#make(init, pending);
    const record = this.insert(key);
    // Nearly every key names what is there already, and nobody listens.
    if (pending.length === 0 && !(record instanceof Promise)) return { record, value };
    return this.#settle(key, value, [record, ...pending]);
  }

  async #settle(
    key: Key,
    value: string | undefined,
    [record, ...pending]: readonly [Stored<Key> | Promise<Stored<Key>>, ...unknown[]],
  ): Promise<IssuedKey> {
    try {
      await Promise.all([record, ...pending]);
      return { record: await record, value };
    } catch (error) {
      this.discard(key);
      throw error;
    }
  }

  /** Makes what the key lacks, and what it is the first to name; that is promised in `pending`. */
  #make(init: KeyInit, pending: Promise<unknown>[]): { key: Key; value: string | undefined } {
    const { clock, ids, apis, roles, permissions } = this.#surroundings;
    const api = apis.get(init.apiId);
    if (api === undefined) throw new UsageError(`key: apiId: there is no API ${init.apiId}`);
    const createdAt = init.createdAt ?? clock.now();

    const prefix = prefixOf(init, api);
    const isUnknown = init.start !== undefined && init.key === undefined;
    const byteLength = init.byteLength ?? api.defaultByteLength ?? DEFAULT_KEY_BYTES;
    const value = init.key ?? (isUnknown ? undefined : ids.keyValue(prefix, byteLength));
    const identity = init.identityId === undefined ? this.#identify(init, pending) : undefined;
    const granted = permissions.ensureEach(init.permissions ?? [], pending);
    const given = roles.ensureEach(init.roles ?? [], pending);
    const key = toKey(init, {
      id: init.id ?? this.#nextId(createdAt),
      start: init.start ?? startOf(value ?? "", prefix),
      createdAt,
      value,
      identityId: init.identityId ?? identity?.id,
      // The same text for all that name it, and not what each request brought along.
      ownerId: identity?.externalId ?? ownerOf(init),
      roles: given.map(({ name }) => name),
      permissions: granted.map(({ name }) => name),
    });
    return { key, value };
  }

  /** Whom the key belongs to, made on first use. */
  #identify(init: KeyInit, pending: Promise<unknown>[]): Identity | undefined {
    const externalId = ownerOf(init);
    return externalId === undefined
      ? undefined
      : this.#surroundings.identities.ensure(externalId, pending);
  }

  /** A fixture may give an id that would be made later. */
  #nextId(createdAt: number): string {
    const id = this.#surroundings.ids.next("key", createdAt);
    return this.get(id) === undefined ? id : this.#nextId(createdAt);
  }

  /** At most `limit` matching keys, ascending by id, behind the id `after`. Never scans. */
  page(filter: KeyFilter, after: string | undefined, limit: number): Key[] {
    return this.#surroundings.index.page(filter, after, limit);
  }

  /**
   * The same as JSON, which is kept until a key changes, or anything else that is written with it.
   * @param write makes the JSON of a key, the same of the same key until then
   */
  writtenPage(
    filter: KeyFilter,
    after: string | undefined,
    limit: number,
    write: (key: Key) => string,
  ): WrittenPage<Key> {
    return this.#surroundings.index.written(filter, after, limit, write);
  }

  /** How many keys match. Never scans. */
  countOf(filter: KeyFilter): number {
    return this.#surroundings.index.count(filter);
  }
}

function parseMembers(members: unknown, { apis }: KeySurroundings): KeyMembers {
  const parsed = parseRecord("key", keyMembers, members);
  const problems = refillProblems(parsed);
  if (apis.get(parsed.apiId)?.keyspace !== true) {
    const expected = "expected the id of an API with a keyspace";
    problems.unshift({ path: ["apiId"], expected, value: parsed.apiId });
  }
  if (problems.length === 0) return parsed;
  throw new UsageError(problems.map((problem) => problemLine("key", problem)));
}

/** A key that changes says so, and the roles and permissions that it comes to name exist. */
async function touch(
  draft: Writable<Key>,
  previous: Key,
  { clock, roles, permissions }: KeySurroundings,
): Promise<void> {
  const isChanged = JSON.stringify(draft) !== JSON.stringify(previous);
  if (isChanged && draft.updatedAt === previous.updatedAt) draft.updatedAt = clock.now();
  await Promise.all([roles.ensureAll(draft.roles), permissions.ensureAll(draft.permissions)]);
}

import { throwProblems } from "../../schema/problems.ts";
import { eachInSteps, type Steps } from "../../base/steps.ts";
import { inSecondsText, isInSeconds } from "../../base/wording/seconds.ts";
import type { VersionName } from "../../api/version.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { Clock } from "../time/clock.ts";
import type { ApiSet } from "../records/apis.ts";
import type { Identities, Identity } from "../records/identities.ts";
import type { Permissions } from "../records/permissions.ts";
import type { Roles } from "../records/roles.ts";
import { type OnChange, parseRecord, RecordSet } from "../records/record-set.ts";
import { DEFAULT_KEY_BYTES, type IdMaker, prefixOf, startOf } from "../id-maker.ts";
import { keyProblems, refillProblems, takenValue } from "./key-problems.ts";
import { givenSecret, type GivenValue, type KeySecret, secretMember } from "./key-secret.ts";
import { type KeyFilter, KeyTable, type Position } from "./key-table.ts";
import type { JsonPage, KeyFormat, Pages } from "./key-pages.ts";
import { type ExistingKey, ownerOf, toKey } from "./to-key.ts";
import type { KeyInit, KeyInput, KeyMembers, ReadonlyKeyMembers } from "./key.ts";
import { Key, keyInit, keyMembers } from "./key.ts";
import { renamed, type Renames } from "../records/named-set.ts";

/** What keys need: the records that they refer to, and the source of ids and values. */
export interface KeyDependencies {
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly apis: ApiSet;
  readonly identities: Identities;
  readonly roles: Roles;
  readonly permissions: Permissions;
  readonly pages: Pages;
  readonly onChange: OnChange<Key>;
  /** Called for a key that a test creates with a time in seconds. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Does not compile with a member that keys do not have, because it would be dropped silently. */
type NoOther<Init> = { readonly [Member in Exclude<keyof Init, keyof KeyInit>]: never };

/** The keys of a workspace. Pages and counts use indexes and never scan all keys. */
export class KeySet extends RecordSet<KeyInput, Key, KeyMembers> {
  declare protected table: KeyTable;
  readonly #dependencies: KeyDependencies;

  constructor(dependencies: KeyDependencies) {
    super(new KeyTable(), {
      noun: "key",
      schema: keyMembers,
      type: Key,
      aliases: ["credits", "externalId"],
      // `schema`, `check` and `build` are for updates by tests. New keys are made by `issue`.
      check: (members) => checkMembers(members, dependencies),
      build: (members, before) => {
        this.#checkNewValue(members, before);
        if (before !== undefined && members.expires !== before.expires) {
          this.#warnOfSeconds("update", members);
        }
        return nextVersion(members, before, dependencies);
      },
      onChange: dependencies.onChange,
      now: () => dependencies.clock.now(),
    });
    this.#dependencies = dependencies;
  }

  /**
   * Adds a key in the form of a fixture. Its value is generated if `key` and `start` are missing. The
   * record shows the value only if `recoverable` is true.
   * @throws UsageError for invalid members, and for an id or a value that is taken
   */
  override create(init: KeyInput): Key {
    const { apis, clock } = this.#dependencies;
    const parsed = parseRecord("key", keyInit(), init, clock.now());
    const holder = this.holderOf(parsed);
    throwProblems("key", [
      ...keyProblems(parsed, apis.get(parsed.apiId), apis.all()),
      ...(holder === undefined ? [] : [takenValue(secretMember(parsed), holder.id)]),
    ]);
    this.#warnOfSeconds("create", parsed);
    const { record } = this.issue(parsed, "v1");
    if (parsed.id !== undefined) this.#dependencies.ids.observe("key", parsed.id);
    return record;
  }

  /**
   * Adds a key from validated members. Creates the identity, roles and permissions that it names, if
   * they do not exist yet. Returns its value too, which is empty if only its `hash` or `start` is given.
   * @param version decides the format of the value and the meaning of an expiry of 0; v1 for fixtures
   * @throws UsageError for an id that is taken, and for an API that does not exist
   */
  issue<Init extends KeyInit>(
    init: Init & NoOther<Init>,
    version: VersionName,
  ): { readonly record: Key; readonly value: string } {
    const { apis, clock, identities, ids, permissions, roles } = this.#dependencies;
    const api = apis.get(init.apiId);
    if (api === undefined) throw new UsageError(`key: apiId: there is no API ${init.apiId}`);
    // Checked before anything is generated, so that a refused key uses up no id or key value.
    if (init.id !== undefined) this.checkFree(init);
    const createdAt = init.createdAt ?? clock.now();
    const prefix = prefixOf(init, api);
    const isGivenInPart = init.start !== undefined || init.hash !== undefined;
    const isValueUnknown = isGivenInPart && init.key === undefined;
    const byteLength = init.byteLength ?? api.defaultByteLength ?? DEFAULT_KEY_BYTES;
    const value = init.key ?? (isValueUnknown ? "" : ids.keyValue(prefix, byteLength, version));
    const owner = ownerOf(init);
    const isLinked = init.identityId === undefined && owner !== undefined;
    // Each of these three creates what is missing.
    const identity = isLinked ? identities.ensure(owner) : undefined;
    const permissionNames = permissions.ensureNames(init.permissions);
    const roleNames = roles.ensureNames(init.roles);
    const record = this.insert(
      toKey(
        init,
        {
          id: init.id ?? this.#nextId(createdAt),
          start: init.start ?? startOf(value, prefix, version),
          createdAt,
          // In v1 and in fixtures, 0 means that the key never expires.
          expires: version === "v1" ? init.expires || undefined : init.expires,
          identityId: init.identityId ?? identity?.id,
          // The same string as in the identity, to save memory.
          ownerId: identity?.externalId ?? owner,
          permissions: permissionNames,
          roles: roleNames,
        },
        value || undefined,
      ),
    );
    return { record, value };
  }

  /**
   * Adds existing keys. Their identities must exist. Creates the roles and permissions that they name, if
   * they do not exist yet.
   */
  *addExisting(inits: readonly ExistingKey[]): Steps<void> {
    const keys: Key[] = [];
    yield* eachInSteps(inits, (init) => {
      const { createdAt, id, start } = init;
      const permissions = this.#dependencies.permissions.ensureNames(init.permissions);
      const roles = this.#dependencies.roles.ensureNames(init.roles);
      keys.push(toKey(init, { id, start, createdAt, permissions, roles }));
    });
    yield* this.addInSteps(keys);
    // Otherwise the first lookup of a value after a restore would fill the index, in one long step.
    yield* this.table.indexInSteps();
  }

  /** Skips ids that a fixture or a test has already given to a key. */
  #nextId(createdAt: number): string {
    const id = this.#dependencies.ids.next("key", createdAt);
    return this.get(id) === undefined ? id : this.#nextId(createdAt);
  }

  /** The key with this value or hash, even if it is not recoverable; undefined if there is none. */
  findBySecret(secret: KeySecret): Key | undefined {
    return this.table.findBySecret(secret);
  }

  hashInSteps(): Steps<void> {
    return this.table.hashInSteps();
  }

  /** The existing key with the value or hash of a new key; undefined if there is none. */
  holderOf(init: GivenValue): Key | undefined {
    const secret = givenSecret(init);
    return secret === undefined ? undefined : this.findBySecret(secret);
  }

  #warnOfSeconds(method: "create" | "update", { expires }: Pick<KeyInit, "expires">): void {
    const { clock, warn } = this.#dependencies;
    if (isInSeconds(expires, clock.now())) warn?.(`keys.${method}: ${inSecondsText(expires)}`);
  }

  /** @throws UsageError if an update sets a value that another key has */
  #checkNewValue({ id, plaintext }: KeyMembers, before: Key | undefined): void {
    if (plaintext === undefined || plaintext === before?.plaintext) return;
    const holder = this.findBySecret(plaintext);
    if (holder === undefined || holder.id === id) return;
    throwProblems("key", [takenValue("plaintext", holder.id)]);
  }

  /**
   * Changes a key to these validated members. Creates the roles and permissions that they name, if they
   * do not exist yet. `updatedAt` changes only if it is one of the members.
   */
  revise(key: Key, members: Partial<ReadonlyKeyMembers>): Key {
    const { permissions, roles } = this.#dependencies;
    if (members.roles) roles.ensureAll(members.roles);
    if (members.permissions) permissions.ensureAll(members.permissions);
    return this.write(key, Key.next(key, members));
  }

  /** Renames roles or permissions in all keys. `updatedAt` stays. */
  rename(member: "permissions" | "roles", renames: Renames): void {
    this.writeAll((key) => withNewNames(key, member, renames));
  }

  /**
   * Renames a role or permission in all keys, in steps between which keys may change.
   * @param to the new name. Default: the keys lose it
   */
  renameInSteps(member: "permissions" | "roles", from: string, to?: string): Steps<void> {
    const renames = new Map([[from, to]]);
    return this.writeInSteps((key) => withNewNames(key, member, renames));
  }

  /** Stores the value of a migrated key, and ends its migration. */
  settle(key: Key, value: string, start: string): Key {
    const updatedAt = this.#dependencies.clock.now();
    const settled = Key.next(key, { migrationId: undefined, start, updatedAt }, value);
    return this.write(key, settled);
  }

  /** At most `limit` matching keys from the position on, ascending by id. */
  page(filter: KeyFilter, position: Position | undefined, limit: number): Key[] {
    const ranges = this.table.ranges(filter, position, limit);
    return ranges.flatMap(({ chunk, from, to }) => chunk.slice(from, to));
  }

  /**
   * The same page as JSON. The JSON of a key is cached until the key changes, or a role, permission or identity
   * that its JSON shows. Undefined if the page takes long: call again to continue.
   * @param format serializes a key; must return the same text until one of these changes
   */
  jsonPage(
    filter: KeyFilter,
    position: Position | undefined,
    limit: number,
    format: KeyFormat,
  ): JsonPage | undefined {
    // One more key, to know whether another page follows.
    const ranges = this.table.ranges(filter, position, limit + 1);
    return this.#dependencies.pages.write(ranges, limit, format);
  }

  hasKeysOf({ id }: Identity): boolean {
    return this.table.hasKeysOf(id);
  }

  countOf(filter: KeyFilter): number {
    return this.table.count(filter);
  }
}

/** The next version of a key after renames; undefined if it has none of the names. */
function withNewNames(
  key: Key,
  member: "permissions" | "roles",
  renames: Renames,
): Key | undefined {
  const names = renamed(key[member], renames);
  return names && Key.next(key, { [member]: names });
}

function checkMembers(members: KeyMembers, { apis }: KeyDependencies): void {
  const { apiId } = members;
  const hasKeyspace = apis.get(apiId)?.keyspace === true;
  const expected = "expected the id of an API with a keyspace";
  const apiProblems = hasKeyspace ? [] : [{ path: ["apiId"], expected, value: apiId }];
  throwProblems("key", [...apiProblems, ...refillProblems(members)]);
}

/**
 * The updated key. Missing roles and permissions that it names are created, and the identity of a new
 * owner. `updatedAt` becomes the current time, unless the update itself sets it.
 */
function nextVersion(
  members: KeyMembers,
  before: Key | undefined,
  { clock, identities, permissions, roles }: KeyDependencies,
): Key {
  roles.ensureAll(members.roles);
  permissions.ensureAll(members.permissions);
  // A test may set another value for a recoverable key.
  const secret = members.plaintext ?? (before && Key.secretOf(before));
  const { identityId, ownerId } = members;
  const isLinked = identityId === undefined && ownerId !== undefined && ownerId !== before?.ownerId;
  const next = isLinked ? { ...members, identityId: identities.ensure(ownerId).id } : members;
  const key = new Key(next, secret, before && Key.historyOf(before));
  const isChanged = JSON.stringify(key) !== JSON.stringify(before);
  const setsUpdatedAt = key.updatedAt !== before?.updatedAt;
  return isChanged && !setsUpdatedAt ? Key.next(key, { updatedAt: clock.now() }) : key;
}

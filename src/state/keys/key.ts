import * as z from "zod/mini";
import { lazily } from "../../base/lazily.ts";
import * as f from "../../schema/fields.ts";
import { meta } from "../../schema/meta.ts";
import { deepFreeze, frozenNames } from "../../base/json.ts";
import { EXPECTED_HASH, type KeySecret } from "./key-secret.ts";
import type { NamedRatelimit } from "../limits/ratelimits.ts";
import { plainRatelimitInit, ratelimitList, toRatelimits } from "../limits/ratelimits.ts";
import {
  byteLength,
  grantedNames,
  MAX_NAMES,
  prefix,
  refill,
  roleOrPermissionName,
  time,
} from "../vocabulary.ts";
import { DEFAULT_KEY_BYTES } from "../id-maker.ts";

const storedRefill = lazily(() =>
  f.described(
    z.extend(refill(), { lastRefillAt: z.optional(time("When the key was last refilled.")) }),
    { id: "StoredRefill", description: "A refill, and when it last happened." },
  ),
);

const credits = lazily(() =>
  f.component("Credits", "`remaining` and `refill`, as v2 spells them.", {
    remaining: f.described(
      z.nullable(f.integer({ min: 0 })),
      "Uses left. 0: none; null: any number.",
    ),
    refill: z.optional(storedRefill()),
  }),
);

/** How often a generated key was verified before the emulator started. It never changes. */
const history = lazily(() =>
  f.component(
    "History",
    "Verifications before the emulator started, for its usage. `generate` makes them up, and a snapshot keeps them.",
    {
      perDay: f.described(
        f.integer({ min: 1, max: 1_000_000_000 }),
        "Verifications on a working day, at the end. There are fewer at weekends.",
      ),
      until: time("The day before which they end. They begin on the day after `createdAt`."),
      limited: f.optional(f.flag(), "Whether a rate limit refused some of them."),
      refused: z.optional(
        f.component("RefusedHistory", "Refused verifications at the end.", {
          as: f.described(f.choice(["DISABLED", "EXPIRED", "USAGE_EXCEEDED"]), "The outcome."),
          from: time("The first day on which all of them were refused."),
        }),
      ),
    },
  ),
);
export type History = z.infer<ReturnType<typeof history>>;

/** `keyProblems` checks its form, because a migrated key may have any hash. */
const hash = lazily(() =>
  z.string({ error: EXPECTED_HASH }).check(z.minLength(3, { error: EXPECTED_HASH })),
);

/**
 * Members that are stored as they are given, and that fixtures, records and snapshots spell alike. A new
 * one needs two lines in the class below, its field and the line of the constructor, and none where keys
 * are made or written.
 */
const plainMembers = lazily(() =>
  f.objectOf({
    name: f.optional(f.text({ max: 256 }), "For a person to read."),
    environment: f.optional(
      f.text({ max: 256 }),
      "Stored with the key. Lists show it only with the quirk `extra-fields`.",
    ),
  }),
);
type PlainMembers = Complete<Readonly<z.infer<ReturnType<typeof plainMembers>>>>;

/** The plain members of a key, or of the input of a key. */
export function plainOf(given: Partial<PlainMembers>): PlainMembers {
  const names = Object.keys(plainMembers().shape) as (keyof PlainMembers)[];
  return Object.fromEntries(names.map((name) => [name, given[name]])) as PlainMembers;
}

/** The input of a key: all members of `keys.createKey` in both versions, and the members of an existing key. */
export const keyInit = lazily(() =>
  f.objectOf({
    apiId: f.described(f.id, "The API that the key belongs to."),
    prefix: f.optional(
      prefix(),
      "The value begins with it and an underscore; default: the API's prefix.",
    ),
    ...plainMembers().shape,
    byteLength: f.optional(
      byteLength(),
      `Random bytes of the value; default: the API's, else ${DEFAULT_KEY_BYTES}.`,
    ),
    ownerId: f.optional(
      f.text({ max: 256 }),
      "Used as `externalId` where that is not given. Empty: not given.",
    ),
    externalId: f.optional(
      f.text({ max: 256 }),
      "Links the key with an identity, which is created on first use. Empty: not given.",
    ),
    meta: z.optional(meta()),
    // Unlike a request, a fixture may have any number of them.
    ...grantedNames(),
    expires: z.optional(time("When the key expires; 0: never.")),
    remaining: f.optional(f.integer(), "Uses left. 0 or less: none."),
    refill: z.optional(storedRefill()),
    ratelimit: z.optional(plainRatelimitInit()),
    enabled: f.optional(f.flag(), "Whether the key works. Default: true."),
    recoverable: f.optional(
      f.flag(),
      "Stores the value encrypted, so that a list can return it. Default: false.",
    ),
    id: f.optional(f.id, "Default: the next generated id. Lists are sorted by it."),
    key: f.optional(
      f.text({ min: 1, max: 512 }),
      "The key value. Default: a generated one. Stored only for a `recoverable` key.",
    ),
    hash: z.optional(
      f.described(
        hash(),
        "SHA-256 of the key value in base64, in place of `key`; with `migrationId`, any hash. Give `start` too.",
      ),
    ),
    start: f.optional(
      f.text({ max: 512 }),
      "Leading characters of the key value. Give them if the value itself is not known. Empty: not known either.",
    ),
    migrationId: f.optional(
      f.id,
      "The migration that the key came with, until it is verified with it. Needs `hash`.",
    ),
    identityId: f.optional(
      f.id,
      "Id of its identity. Default: the identity with its `externalId`.",
    ),
    credits: z.optional(credits()),
    ratelimits: f.optional(
      ratelimitList(),
      "Rate limits, by name; `ratelimit` is the one called `default`.",
    ),
    createdAt: z.optional(time("When the key was created. Default: now.")),
    updatedAt: z.optional(time("When the key last changed.")),
    lastUsedAt: z.optional(time("When the key was last verified.")),
    history: z.optional(history()),
  }),
);
export type KeyInit = z.infer<ReturnType<typeof keyInit>>;
/** The same as a person writes it. */
export type KeyInput = z.input<ReturnType<typeof keyInit>>;

/** The members of a key record, for validating an update. */
export const keyMembers = lazily(() =>
  f.objectOf({
    id: f.described(f.id, "It never changes."),
    apiId: f.described(f.id, "The API that the key belongs to."),
    start: f.described(
      f.text({ max: 512 }),
      "Leading characters of the key value. Empty for a migrated key.",
    ),
    migrationId: f.optional(
      f.id,
      "The migration of a migrated key, until the key is verified with it.",
    ),
    ...plainMembers().shape,
    ownerId: f.optional(f.text({ min: 1, max: 256 }), "The external id of its owner."),
    identityId: f.optional(f.id, "Id of its identity."),
    meta: z.optional(meta()),
    createdAt: time("When the key was created."),
    updatedAt: z.optional(time("When the key last changed.")),
    expires: z.optional(time("When the key expires.")),
    lastUsedAt: z.optional(time("When the key was last verified.")),
    remaining: f.optional(f.integer(), "Uses left. 0 or less: none."),
    refill: z.optional(storedRefill()),
    ratelimits: ratelimitList(),
    roles: f.described(
      f.listOf(roleOrPermissionName(), "role names", { max: MAX_NAMES }),
      "Names of its roles.",
    ),
    permissions: f.described(
      f.listOf(roleOrPermissionName(), "permission names", { max: MAX_NAMES }),
      "Names of its own permissions, without those of its roles.",
    ),
    enabled: f.described(f.flag(), "Whether the key works."),
    plaintext: f.optional(
      f.text({ min: 1, max: 512 }),
      "The key value of a recoverable key. Those of other keys are in no record.",
    ),
  }),
);
export type KeyMembers = z.infer<ReturnType<typeof keyMembers>>;

/** The members of a key record, to copy or to change. */
export type ReadonlyKeyMembers = { readonly [Member in keyof KeyMembers]: Key[Member] };

export class Key implements Readonly<Record<keyof KeyMembers, unknown>> {
  readonly id: string;
  readonly apiId: string;
  /** Empty if the key was migrated and its value is not known. */
  readonly start: string;
  /** The migration that the key came with; undefined if there is none, or it was verified with it. */
  readonly migrationId: string | undefined;
  readonly name: string | undefined;
  readonly ownerId: string | undefined;
  readonly identityId: string | undefined;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** Unix milliseconds, like every time of a record. */
  readonly createdAt: number;
  readonly updatedAt: number | undefined;
  /** 0 if it was created through v2 with an expiry of 0, which has passed. */
  readonly expires: number | undefined;
  /** When it was last verified; undefined if it never was. */
  readonly lastUsedAt: number | undefined;
  readonly remaining: number | undefined;
  readonly refill: Readonly<KeyMembers["refill"]>;
  readonly ratelimits: readonly NamedRatelimit[];
  readonly roles: readonly string[];
  /** The key's own permissions, without those of its roles. */
  readonly permissions: readonly string[];
  readonly enabled: boolean;
  readonly environment: string | undefined;
  /** The key value of a recoverable key. The values of other keys are not stored. */
  readonly plaintext: string | undefined;
  readonly #secret: KeySecret | undefined;
  readonly #history: Readonly<History> | undefined;

  /**
   * @param secret its value or the hash of the value; without it, the key cannot be verified
   * @param history its verifications before the emulator started. Default: none
   */
  constructor(members: ReadonlyKeyMembers, secret?: KeySecret, history?: History) {
    this.id = members.id;
    this.apiId = members.apiId;
    this.start = members.start;
    this.migrationId = members.migrationId;
    this.name = members.name;
    this.ownerId = members.ownerId;
    this.identityId = members.identityId;
    this.meta = members.meta && deepFreeze(members.meta);
    this.createdAt = members.createdAt;
    this.updatedAt = members.updatedAt;
    this.expires = members.expires;
    this.lastUsedAt = members.lastUsedAt;
    this.remaining = members.remaining;
    this.refill = members.refill && Object.freeze(toRefill(members.refill));
    this.ratelimits = toRatelimits(members.ratelimits);
    this.roles = frozenNames(members.roles);
    this.permissions = frozenNames(members.permissions);
    this.enabled = members.enabled;
    this.environment = members.environment;
    this.plaintext = members.plaintext;
    this.#secret = secret;
    this.#history = history && deepFreeze(history);
  }

  /**
   * The next version of a key, with the same history.
   * @param secret Default: the key's secret
   */
  static next(
    key: Key,
    members: Partial<ReadonlyKeyMembers>,
    secret: KeySecret | undefined = key.#secret,
  ): Key {
    return new Key({ ...key, ...members }, secret, key.#history);
  }

  /** The same as `ownerId`, under its name of v2. */
  get externalId(): string | undefined {
    return this.ownerId;
  }

  /** `remaining` and `refill`, as v2 spells them; undefined for any number of uses. */
  get credits(): Readonly<{ remaining: number; refill?: Key["refill"] }> | undefined {
    const { refill: given, remaining } = this;
    if (remaining === undefined) return undefined;
    return Object.freeze(given === undefined ? { remaining } : { remaining, refill: given });
  }

  /** The key value, or its hash. It is private, so that no log or message shows it with the key. */
  static secretOf(key: Key): KeySecret | undefined {
    return key.#secret;
  }

  /** The verifications before the emulator started. They are in no record, so no update changes them. */
  static historyOf(key: Key): Readonly<History> | undefined {
    return key.#history;
  }
}

/** A monthly refill is due on the first day by default. A daily refill has no day. */
function toRefill({ interval, amount, lastRefillAt, refillDay = 1 }: StoredRefill): StoredRefill {
  const day = interval === "daily" ? {} : { refillDay };
  const last = lastRefillAt === undefined ? {} : { lastRefillAt };
  return { interval, amount, ...day, ...last };
}

type StoredRefill = z.infer<ReturnType<typeof storedRefill>>;

/**
 * Requires every member, even if its value is undefined. So a literal of this type does not compile
 * without a new member.
 */
export type Complete<Members> = { [Name in keyof Members]-?: Members[Name] };

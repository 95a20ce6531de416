import { expect, test } from "vitest";
import { calls, everything } from "../_every-operation.ts";
import { givenEmulator, post, type Answer } from "../_emulator.ts";
import { acceptingAll } from "../_v2.ts";
import {
  casesOf,
  choice,
  closed,
  data,
  flag,
  integer,
  list,
  nullable,
  open,
  refusalsOf,
  text,
  versionOf,
  type Kind,
} from "./_fields.ts";
import { stateOf } from "./_keys.ts";
import { expectRefused } from "./_refusals.ts";

// Every member of every input that is JSON: which values each version accepts, and how it refuses the
// others. What only one operation checks, like two members together, is tested beside it.

const LATEST = 4_102_444_800_000;
const DAYS_30 = 2_592_000_000;

const word = (min: number, max: number) =>
  text(min, max, "^[a-zA-Z0-9_]+$", ["any-id-1", "any id 1", "any.id.1", "äny_id_1", "any_id_1\n"]);
const keyId = word(3, 255);
const externalId = text(1, 255, "^[a-zA-Z0-9_.-]+$", [
  "a@b.c",
  "auth0|1",
  "a:b",
  "a/b",
  "a b",
  "é",
]);
const slug = text(1, 128, String.raw`^[a-zA-Z0-9_:\-\.\*]+$`, ["a b", "a/b", "a,b", "a@b", "é"]);
const roleName = text(1, 128);
const namespace = text(1, 512);
const expires = integer(0, LATEST);
const page = { limit: integer(1, 100), cursor: text() };
const longPage = { ...page, cursor: text(0, 1024), search: text(0, 256) };
const refill = closed({
  "interval!": choice("daily", "monthly"),
  "amount!": integer(1),
  refillDay: integer(1, 31),
});
const named = { "name!": text(3, 128), "limit!": integer(1), "duration!": integer(1000) };
const ratelimits = list(open({ ...named, "autoApply!": flag }), 50);
const newKey = {
  name: text(1, 255),
  meta: data(100),
  permissions: list(slug, 1000),
  expires,
  credits: closed({ "remaining!": nullable(integer(0)), refill }),
  ratelimits,
  enabled: flag,
};
const use = {
  "namespace!": namespace,
  "identifier!": text(1, 512),
  "limit!": integer(1),
  "duration!": integer(1000, DAYS_30),
  cost: integer(0),
};
const override = { "namespace!": namespace, "identifier!": text(1, 512) };
const limits = { meta: data(100), ratelimits };

const inputsOfV2: Readonly<Record<string, Kind>> = {
  "apis.createApi": closed({ "name!": text(3, 256) }),
  "apis.getApi": closed({ "apiId!": word(8, 255) }),
  "apis.deleteApi": closed({ "apiId!": word(8, 255) }),
  "apis.listKeys": closed({
    "apiId!": text(1),
    ...page,
    externalId: text(1),
    decrypt: flag,
    revalidateKeysCache: flag,
  }),
  "keys.createKey": closed({
    "apiId!": word(3, 255),
    prefix: word(1, 16),
    byteLength: integer(16, 255),
    externalId,
    roles: list(roleName, 100),
    recoverable: flag,
    ...newKey,
  }),
  "keys.updateKey": closed({
    "keyId!": keyId,
    name: nullable(text(1, 255)),
    externalId: nullable(externalId),
    meta: { ...nullable(data(100)), type: "object" },
    expires: nullable(expires),
    credits: nullable(closed({ remaining: nullable(integer(0)), refill: nullable(refill) })),
    ratelimits: nullable(ratelimits),
    enabled: flag,
    roles: list(roleName, 100),
    permissions: list(slug, 1000),
  }),
  "keys.getKey": closed({ "keyId!": keyId, decrypt: flag }),
  "keys.deleteKey": closed({ "keyId!": keyId, permanent: flag }),
  "keys.whoami": closed({ "key!": text(1, 512) }),
  "keys.verifyKey": closed({
    "key!": text(1, 512),
    keyspaces: list(text(1, 100), 5, { min: 1 }),
    tags: list(text(1, 512), 20),
    permissions: text(1, 1000, undefined),
    credits: closed({ "cost!": integer(0, 1_000_000_000_000) }),
    ratelimits: list(
      open({ "name!": text(3, 255), limit: integer(0), duration: integer(1000), cost: integer(0) }),
    ),
    migrationId: text(0, 256),
  }),
  "keys.updateCredits": closed({
    "keyId!": text(3),
    "operation!": choice("set", "increment", "decrement"),
    value: nullable(integer(0)),
  }),
  // The service ignores unknown members of this body and of createIdentity's.
  "keys.rerollKey": open({ "keyId!": keyId, "expiration!": nullable(expires) }),
  "keys.addPermissions": closed({ "keyId!": keyId, "permissions!": list(slug, 1000, { min: 1 }) }),
  "keys.removePermissions": closed({
    "keyId!": keyId,
    "permissions!": list(slug, 1000, { min: 1 }),
  }),
  "keys.setPermissions": closed({ "keyId!": keyId, "permissions!": list(slug, 10_000) }),
  "keys.addRoles": closed({ "keyId!": keyId, "roles!": list(roleName, 100, { min: 1 }) }),
  "keys.removeRoles": closed({ "keyId!": keyId, "roles!": list(roleName, 100, { min: 1 }) }),
  "keys.setRoles": closed({ "keyId!": keyId, "roles!": list(roleName, 100) }),
  "keys.migrateKeys": closed({
    "migrationId!": text(3, 255),
    "apiId!": text(3, 255),
    "keys!": list(
      closed({
        "hash!": text(3),
        externalId: text(1, 255),
        roles: list(roleName, 100),
        ...newKey,
      }),
      undefined,
      { min: 1 },
    ),
  }),
  "identities.createIdentity": open({ "externalId!": externalId, ...limits }),
  "identities.getIdentity": closed({ "identity!": text(1) }),
  "identities.listIdentities": closed({ ...page, search: text(0, 256) }),
  "identities.updateIdentity": closed({ "identity!": text(1), ...limits }),
  "identities.deleteIdentity": closed({ "identity!": text(1) }),
  "permissions.createPermission": closed({
    "name!": text(1, 512),
    "slug!": slug,
    description: text(0, 512),
  }),
  "permissions.getPermission": closed({ "permission!": slug }),
  "permissions.listPermissions": closed(longPage),
  "permissions.updatePermission": closed({
    "permission!": slug,
    name: text(1, 512),
    slug,
    description: nullable(text(0, 512)),
  }),
  "permissions.updateRole": closed({
    "role!": roleName,
    name: roleName,
    description: nullable(text(0, 512)),
  }),
  // One of `role` and `roleId`: roles-and-permissions.test.ts.
  "permissions.setRolePermissions": closed({
    "roleId!": roleName,
    "permissions!": list(slug, 10_000),
  }),
  "permissions.deletePermission": closed({ "permission!": slug }),
  "permissions.createRole": closed({
    "name!": roleName,
    description: text(0, 512),
    permissions: list(slug, 10_000),
  }),
  "permissions.getRole": closed({ "role!": roleName }),
  "permissions.listRoles": closed(longPage),
  "permissions.deleteRole": closed({ "role!": roleName }),
  "ratelimit.limit": closed(use),
  "ratelimit.multiLimit": list(closed(use), 100, { min: 1 }),
  "ratelimit.setOverride": closed({
    ...override,
    "limit!": integer(0),
    "duration!": integer(1000),
  }),
  "ratelimit.getOverride": closed(override),
  "ratelimit.listOverrides": closed({ "namespace!": namespace, ...page }),
  "ratelimit.deleteOverride": closed(override),
};

const refillOfV1 = open(
  { "interval!": choice("daily", "monthly"), "amount!": integer(1), refillDay: integer(1, 31) },
  { interval: "monthly" },
);
const windowOf = (min: number) => ({
  "limit!": integer(1),
  duration: integer(min),
  refillRate: integer(1),
  refillInterval: integer(1),
  async: flag,
  type: choice("fast", "consistent"),
});
const name = text(1, 512);
const item = open({ id: text(3), name: text(1), create: flag });
const cost = open({ cost: integer(0) });

const inputsOfV1: Readonly<Record<string, Kind>> = {
  "keys.createKey": open(
    {
      "apiId!": text(),
      prefix: text(0, 16),
      name: text(0, 256),
      byteLength: integer(16, 255),
      ownerId: text(0, 256),
      externalId: text(0, 256),
      meta: data(),
      roles: list(name, 10_000, { noun: "role names" }),
      permissions: list(name, 10_000, { noun: "permission names" }),
      expires: integer(0),
      remaining: integer(1),
      refill: refillOfV1,
      ratelimit: open(windowOf(1000), { duration: 1000 }),
      enabled: flag,
      recoverable: flag,
      environment: text(0, 256),
    },
    { remaining: 5 },
  ),
  "keys.updateKey": open({
    "keyId!": text(),
    name: nullable(text(0, 256)),
    ownerId: nullable(text(0, 256)),
    externalId: nullable(text(0, 256)),
    meta: nullable(data()),
    expires: nullable(integer()),
    remaining: nullable(integer()),
    refill: nullable(refillOfV1),
    ratelimit: nullable(open(windowOf(1), { duration: 1 })),
    enabled: flag,
    roles: list(item, 10_000, { noun: "roles" }),
    permissions: list(item, 10_000, { noun: "permissions" }),
  }),
  "keys.verifyKey": open({
    "key!": text(1),
    apiId: text(),
    tags: list(text(1, 128), 10, { noun: "tags" }),
    authorization: open({}),
    remaining: cost,
    ratelimit: cost,
    ratelimits: list(
      open({ "name!": text(1), limit: integer(0), duration: integer(1), cost: integer(0) }),
      undefined,
      { noun: "rate limits" },
    ),
  }),
  "keys.updateRemaining": open({
    "keyId!": text(),
    "op!": choice("increment", "decrement", "set"),
    "value!": nullable(integer()),
  }),
  "keys.deleteKey": open({ "keyId!": text(1), permanent: flag }),
  "ratelimits.limit": open({
    namespace: text(),
    "identifier!": text(),
    "limit!": integer(1),
    "duration!": integer(1000),
    cost: integer(0),
    async: flag,
    meta: open({}),
    resources: list(
      open({ "type!": text(), "id!": text(), name: text(), meta: open({}) }),
      undefined,
      {
        noun: "resources",
      },
    ),
  }),
};

const inputs = [
  ...Object.entries(inputsOfV2).map(([operation, kind]) => [`/v2/${operation}`, kind] as const),
  ...Object.entries(inputsOfV1).map(([operation, kind]) => [`/v1/${operation}`, kind] as const),
];

test.each(inputs)(
  "%s accepts a field at its bounds, and refuses it beyond with its place",
  async (path, kind) => {
    const emulator = await givenEmulator({ fixtures: [everything] });
    const version = versionOf(path);
    const [, sample = { key: "value_of_one_0123456789" }] =
      calls.find(([called]) => called === path) ?? [];
    const [valid] = kind.good;
    // The objects of the table have a sample of each required member; those of `calls` exist.
    const whole = Array.isArray(valid)
      ? kind
      : { ...kind, good: [{ ...(valid as object), ...sample }] };
    const send = (input: unknown): Promise<Answer> =>
      post(emulator, path, JSON.stringify(input), version === "v2" ? acceptingAll() : {});
    const cases = [...casesOf(whole)];
    const before = stateOf(emulator);

    for (const each of cases.filter(({ messages }) => messages.length > 0)) {
      expectRefused(await send(each.input), refusalsOf(each, path)[version]);
    }
    expect(stateOf(emulator)).toBe(before);
    for (const { input, messages } of cases) {
      if (messages.length > 0) continue;
      const { error } = (await send(input)).body;
      const problems = version === "v1" ? error?.message.match(/^\w.*: expected /) : error?.errors;
      expect(problems ?? [], JSON.stringify(input).slice(0, 500)).toHaveLength(0);
    }
  },
);

test("the table of fields has every operation whose input is JSON", () => {
  const paths = calls.map(([path]) => path).filter((path) => !path.includes("?"));
  const expected = new Set([...paths, "/v1/keys.verifyKey"]);
  expect(new Set(inputs.map(([path]) => path))).toEqual(expected);
});

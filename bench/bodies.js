// The bodies that take a process the longest to answer: with as many bytes, or as many values, as a
// version of the interface takes. Each is a request, by the name of what is in it.

/** Most bytes of a body, with some room for what is around the parts below. */
const BYTES = { v1: 1_048_576 - 300, v2: 10 * 1_048_576 - 300 };
/** Most values of a body, with the same room. */
const VALUES = 99_900;
/** The most items of a list in an operation. */
const MAX_ITEMS = 10_000;

const list = (count, toItem) => Array.from({ length: count }, (_, index) => toItem(index));
const object = (count, toMember) => Object.fromEntries(list(count, toMember));
const nested = (depth, value) => (depth === 0 ? value : [nested(depth - 1, value)]);

/** A text of the given length that differs for each index. */
function label(index, length) {
  return `${index}_`.padEnd(length, "x");
}

/** Members that fill the whole body, each `length` characters long in all. */
function members(version, length) {
  return object(Math.floor(BYTES[version] / (length + 4)), (index) => [
    label(index, length - 2),
    1,
  ]);
}

/** As many items as a body may hold, each with `values` values, of which one is a long text. */
function items(version, values, toItem) {
  const count = Math.floor(Math.min(VALUES, BYTES[version] / 30) / values);
  return list(count, (index) => toItem(index, Math.floor(BYTES[version] / count) - 60));
}

/** Bodies that are refused, also by a schema. `text` is sent as it is. */
export function refusedBodies({ apiId }, version) {
  const create = `/${version}/keys.createKey`;
  const set = `/${version}/keys.setPermissions`;
  const bytes = BYTES[version];
  const name = (index, length) => label(index, Math.max(8, Math.min(128, length)));
  return Object.entries({
    "unknown members": { path: create, body: members(version, 8) },
    "long unknown members": { path: create, body: members(version, 100) },
    "as many unknown members as are read": {
      path: create,
      body: object(Math.min(VALUES, bytes / 12), (index) => [label(index, 6), 1]),
    },
    "members of meta": { path: create, body: { apiId, meta: members(version, 8) } },
    "long members of meta": { path: create, body: { apiId, meta: members(version, 100) } },
    "lists in meta": {
      path: create,
      body: { apiId, meta: { all: list(Math.floor(VALUES / 40), () => nested(38, 1)) } },
    },
    "a long text in meta": { path: create, body: { apiId, meta: { text: "é".repeat(bytes / 2) } } },
    "a long name": { path: create, body: { apiId, name: "x".repeat(bytes) } },
    escapes: { path: create, text: `{"apiId":"${"\\u0041".repeat(bytes / 6)}"}` },
    "a long number": { path: create, text: `{"expires":${"1".repeat(bytes)}}` },
    "numbers out of range": {
      path: `/${version}/keys.verifyKey`,
      body: { key: "x", ratelimits: items(version, 3, () => ({ name: "abc", cost: 1e300 })) },
    },
    ...(version === "v2" && {
      "numbers in place of names": {
        path: set,
        body: { keyId: "key_x", permissions: list(VALUES, () => 1) },
      },
      "names with spaces": {
        path: set,
        body: {
          keyId: "key_x",
          permissions: items(version, 1, (index, length) => `${name(index, length)} `),
        },
      },
      "names for another key": {
        path: set,
        body: { keyId: "key_x", permissions: items(version, 1, name) },
      },
      "empty objects": {
        path: set,
        body: { keyId: "key_x", permissions: list(Math.min(VALUES, bytes / 3), () => ({})) },
      },
      "unknown members of items": {
        path: set,
        body: {
          keyId: "key_x",
          permissions: items(version, 2, (index) => ({ [label(index, 8)]: 1 })),
        },
      },
    }),
    brackets: { path: create, text: "[".repeat(bytes) },
    commas: { path: create, text: `[${",".repeat(bytes)}` },
    items: { path: create, text: `[${"1,".repeat(bytes / 2)}1]` },
    "white space": { path: create, text: " ".repeat(bytes) },
    "no JSON": { path: create, text: "x".repeat(bytes) },
    quotes: { path: create, text: '"'.repeat(bytes) },
  });
}

/** Bodies that are accepted, in this order: the later ones are about what the earlier ones made. */
export function acceptedBodies({ apiId, key, keyId }, version) {
  const at = (operation) => `/${version}/keys.${operation}`;
  const names = (from, many) => list(many, (index) => label(from + index, 8));
  const all = names(100_000, MAX_ITEMS);
  const some = all.slice(0, 1_000);
  const one = all.slice(0, 1);
  const long = { text: "x".repeat(60_000) };
  const wide = object(version === "v1" ? 5_000 : 100, (index) => [label(index, 8), 1]);
  return Object.entries({
    ...(version === "v2" && {
      "new permissions": { path: at("setPermissions"), body: { keyId, permissions: all } },
      "the same permissions": { path: at("setPermissions"), body: { keyId, permissions: all } },
      "one permission more": {
        path: at("addPermissions"),
        body: { keyId, permissions: names(0, 1) },
      },
      "a thousand permissions more": {
        path: at("addPermissions"),
        body: { keyId, permissions: names(0, 1_000) },
      },
      "verification of a key with many permissions": { path: at("verifyKey"), body: { key } },
      "a thousand permissions less": {
        path: at("removePermissions"),
        body: { keyId, permissions: some },
      },
      "one permission less": { path: at("removePermissions"), body: { keyId, permissions: one } },
      "white space": {
        path: at("addPermissions"),
        text: `{"keyId":"${keyId}",${" ".repeat(BYTES[version])}"permissions":${JSON.stringify(one)}}`,
      },
      "no permissions": { path: at("setPermissions"), body: { keyId, permissions: [] } },
    }),
    "a key with a thousand permissions": {
      path: at("createKey"),
      body: { apiId, permissions: list(1_000, (index) => label(900_000 + index, 8)) },
    },
    "a long text in meta": { path: at("createKey"), body: { apiId, meta: long } },
    "members of meta": { path: at("createKey"), body: { apiId, meta: wide } },
    "numbers in meta": {
      path: at("createKey"),
      body: { apiId, meta: { all: list(32_000, () => 1) } },
    },
    "rate limits for one call": {
      path: at("verifyKey"),
      body: {
        key,
        ratelimits: list(MAX_ITEMS, (index) => ({
          name: label(index, 8),
          limit: 10,
          duration: 60_000,
        })),
      },
    },
    "long rate limits for one call": {
      path: at("verifyKey"),
      body: {
        key,
        ratelimits: items(version, 10, (index, length) => ({
          name: label(index, 8),
          limit: 10,
          duration: 60_000,
          more: "x".repeat(Math.max(0, length - 50)),
        })),
      },
    },
    ...(version === "v1" && {
      "new roles": {
        path: at("createKey"),
        body: { apiId, roles: list(MAX_ITEMS, (index) => label(index, 8)) },
      },
      "new permissions of a key": {
        path: at("createKey"),
        body: { apiId, permissions: list(MAX_ITEMS, (index) => label(200_000 + index, 8)) },
      },
    }),
  });
}

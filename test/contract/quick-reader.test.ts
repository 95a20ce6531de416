import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { createKey } from "../../src/contract/v1/create-key.ts";
import { cursorsWith } from "../../src/contract/v1/cursor.ts";
import { listKeysWith } from "../../src/contract/v1/list-keys.ts";
import { quickReaderOf } from "../../src/contract/operation.ts";
import { readAs } from "../../src/schema/problems.ts";
import { NO_QUIRKS, quirkNames, type Quirks } from "../../src/contract/quirks.ts";
import { quickReader } from "../../src/schema/quick-reader.ts";

const wholeKey = {
  apiId: "api_one",
  prefix: "pay",
  name: "CI",
  byteLength: 16,
  ownerId: "ann",
  externalId: "ann",
  meta: { plan: "pro", list: [1, "two", null, { deep: true }] },
  roles: ["admin", "reader"],
  permissions: ["a.b", "c"],
  expires: 1_900_000_000_000,
  remaining: 10,
  refill: { interval: "monthly", amount: 10, refillDay: 31 },
  ratelimit: {
    async: true,
    type: "fast",
    limit: 1,
    duration: 1_000,
    refillRate: 1,
    refillInterval: 1,
  },
  enabled: false,
  recoverable: true,
  environment: "test",
};

const wholeQuery = {
  apiId: "api_one",
  limit: "10",
  cursor: cursorsWith(NO_QUIRKS).encode("key_1"),
  ownerId: "ann",
  externalId: "ann",
  decrypt: "True",
  revalidateKeysCache: "0",
};

/** Values near the bounds of the fields, and values that no field accepts. */
const texts = ["", "0", "null", "x", "daily", "eyJrZXkiOiIifQ", "😀".repeat(9), "😀".repeat(200)];
const lengths = [16, 17, 256, 257, 513].map((length) => "x".repeat(length));
const numbers = [0, -0, 1, 15, 16, 31, 32, 255, 256, 999, 1_000, -1, 1.5, 2 ** 53, Number.NaN];
const objects = [
  {},
  { interval: "daily" },
  { limit: 1 },
  { limit: 1, refillInterval: 1 },
  { when: new Date(0) },
];
const lists = [[], [""], ["a", 1]];
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    true,
    Infinity,
    ...texts,
    ...lengths,
    ...numbers,
    ...objects,
    ...lists,
  ),
  fc.jsonValue(),
);

function changed(whole: object) {
  const name = fc.constantFrom(
    ...Object.keys(whole),
    "refill.amount",
    "ratelimit.limit",
    "ratelimit.duration",
    "ratelimit.refillInterval",
    "unknown",
  );
  const change = fc.tuple(name, fc.oneof({ weight: 1, arbitrary: fc.constant(remove) }, odd));
  return fc.array(change, { maxLength: 4 }).map((changes) => {
    const input = structuredClone(whole) as Record<string, unknown>;
    for (const [path, value] of changes) {
      const [first = "", second] = path.split(".");
      const within = second === undefined ? input : input[first];
      if (typeof within !== "object" || within === null) continue;
      if (value === remove) Reflect.deleteProperty(within, second ?? first);
      else Object.assign(within, { [second ?? first]: value });
    }
    return input;
  });
}

const remove = Symbol("remove");

const everyQuirk: Quirks = new Set(quirkNames);
const contracts = [
  ["keys.createKey", createKey, wholeKey],
  ["apis.listKeys", listKeysWith(NO_QUIRKS), wholeQuery],
  ["apis.listKeys with every quirk", listKeysWith(everyQuirk), wholeQuery],
] as const;

describe.each(contracts)("the quick reader of %s", (_, contract, whole) => {
  const read = quickReaderOf(contract)!;
  const bySchema = (input: unknown) => readAs(contract.input as z.core.$ZodObject, input);

  test("reads an input with every member and one with only the required members", () => {
    expect(read(whole)).toEqual(bySchema(whole).value);
    expect(read({ apiId: "api_one" })).toEqual(bySchema({ apiId: "api_one" }).value);
  });

  test("returns the same value as the schema, or leaves the input to the schema", () => {
    fc.assert(
      fc.property(fc.oneof(changed(whole), odd), (input) => {
        const output = read(input);
        if (output === undefined) return;
        const { problems, unknown, value } = bySchema(input);
        expect([problems, unknown]).toEqual([[], []]);
        expect(Object.entries(output as object)).toEqual(Object.entries(value as object));
      }),
      { numRuns: 2_000 },
    );
  });

  test("leaves an input with an unknown member to the schema", () => {
    expect(read({ ...whole, unknown: 1 })).toBeUndefined();
  });
});

test.each([
  { limit: 1, refillInterval: 1 },
  { type: "fast", limit: 1, refillRate: 1, refillInterval: 1 },
  { limit: 1, duration: 1_000 },
])("the quick reader accepts the rate limit %j", (ratelimit) => {
  const body = { apiId: "api_one", ratelimit };

  expect(quickReaderOf(createKey)?.(body)).toEqual(body);
});

test("the quick reader leaves a rate limit without a window to the schema", () => {
  expect(quickReaderOf(createKey)?.({ apiId: "api_one", ratelimit: { limit: 1 } })).toBeUndefined();
});

test("a contract with a schema from the user's own zod gets no quick reader", () => {
  expect(quickReaderOf({ ...createKey, input: z.object({ apiId: z.string() }) })).toBeUndefined();
});

test("a schema with a part that the quick reader does not support gets no quick reader", () => {
  const parts = {
    union: z.union([z.string(), z.number()]),
    trimmed: z.string().check(z.trim()),
    record: z.record(z.string(), z.boolean()),
    loose: z.looseObject({ one: z.string() }),
    coerced: z.coerce.number(),
    global: z.string().check(z.regex(/^a/g)),
    within: z.optional(z.array(z.nonoptional(z.string()))),
  };
  for (const part of Object.values(parts)) {
    expect(quickReader(z.object({ known: z.string(), part }))).toBeUndefined();
  }
});

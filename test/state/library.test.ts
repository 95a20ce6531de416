import { Collection, OperationError, Query } from "@msw/data";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { UsageError } from "../../src/index.ts";
import type { PublicWorkspace } from "../../src/state/public/workspace.ts";
import { givenWorkspace } from "../_workspace.ts";

/** The methods that latchkey's collections share with those of @msw/data. */
type Records<Item> = Pick<
  Collection<z.ZodType<Item, Item>>,
  | "all"
  | "clear"
  | "count"
  | "create"
  | "createMany"
  | "delete"
  | "deleteMany"
  | "findFirst"
  | "findMany"
  | "update"
  | "updateMany"
>;

/** Through JSON, because latchkey's records have undefined for missing members. */
const plain = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));

interface User {
  id: string;
  apiId: string;
  name?: string | undefined;
  enabled: boolean;
  remaining?: number | undefined;
  roles: string[];
  refill?: { interval: string; amount: number } | undefined;
}
type Users = Records<User>;

const userSchema: z.ZodType<User, User> = z.object({
  id: z.string(),
  apiId: z.string(),
  name: z.string().optional(),
  enabled: z.boolean(),
  remaining: z.number().optional(),
  roles: z.array(z.string()),
  refill: z.object({ interval: z.string(), amount: z.number() }).optional(),
});
const members = Object.keys((userSchema as unknown as z.ZodObject).shape);

const people: Omit<User, "apiId" | "enabled" | "roles">[] = [
  { id: "key_1", name: "John" },
  { id: "key_2", name: "Kate", remaining: 5 },
  { id: "key_3", name: "Johnatan", remaining: 3 },
  { id: "key_4", name: "John", remaining: 9, refill: { interval: "daily", amount: 5 } },
  { id: "key_5", remaining: 5, refill: { interval: "daily", amount: 9 } },
  { id: "key_6", name: "Jane", remaining: 1 },
];

const startsWith = (start: string) => (name: string | undefined) => name?.startsWith(start);
const of = (name: string) => (q: Query<User>) => q.where({ name });

/** README examples of @msw/data that the random calls below do not make, with keys for users. */
const examples: Record<string, (users: Users) => unknown> = {
  "findFirst by a function of a value": (users) =>
    users.findFirst((q) => q.where({ name: startsWith("Johna") })),
  "findFirst by a function of the record": (users) =>
    users.findFirst((q) => q.where((user) => user.roles.length > 0)),
  "findFirst by a function of a nested value": (users) =>
    users.findFirst((q) => q.where({ refill: { amount: (amount: number) => amount !== 5 } })),
  "a query that is made in advance": (users) => {
    const query = new Query<User>();
    return users.findMany(
      query.or(query.where({ enabled: false }), query.where({ name: "Jane" })) as never,
    );
  },
  "a cursor": (users) => {
    const cursor = users.findFirst(of("Kate"), { strict: true });
    return users.findMany((q) => q.where({ enabled: true }), { cursor, take: 3 });
  },
  "orderBy several members": (users) =>
    users.updateMany((q) => q.where({ name: startsWith("J") }), {
      data: (user) => void (user.name = user.name?.toUpperCase()),
      orderBy: { name: "asc", id: "desc" },
    }),
  "orderBy a list": (users) =>
    users.findMany(undefined, { orderBy: [{ remaining: "asc" }, { name: "desc" }] }),
  "orderBy a nested member": (users) =>
    users.findMany((q) => q.where((user) => user.refill !== undefined), {
      orderBy: { refill: { amount: "desc" } },
    }),
  "update of a record": (users) =>
    users.update(users.findFirst(of("Kate"), { strict: true }), {
      data: (user) => void user.roles.push("editor"),
    }),
  "update with an async data function": (users) =>
    users.update(of("Kate"), {
      data: async (user) => {
        await Promise.resolve();
        user.enabled = false;
      },
    }),
  "deleteMany by a nested value": (users) =>
    users.deleteMany((q) => q.where({ refill: { amount: (amount: number) => amount <= 5 } })),
  "deleteMany in an order": (users) =>
    users.deleteMany((q) => q.where({ enabled: true }), { orderBy: { name: "desc" } }),
};

describe("README examples", () => {
  test.each(Object.entries(examples))(
    "a README example of @msw/data has the same result here: %s",
    async (_, example) => {
      const { keys } = await givenWorkspace();
      const both = [keys as unknown as Users, new Collection({ schema: userSchema })] as const;
      const outcomes = await Promise.all(
        both.map(async (users) => {
          for (const [index, person] of people.entries()) {
            const roles = index === 2 ? ["editor"] : [];
            await users.create({ ...person, apiId: "api_a", enabled: index !== 3, roles });
          }
          const outcome = await outcomeOf(() => example(users));
          return pick([outcome, users.all()]);
        }),
      );

      expect(outcomes[0]).toEqual(outcomes[1]);
    },
  );
});

/** Drops the members of records that the schema does not have. */
function pick(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) => {
      if (typeof each !== "object" || each === null || !("apiId" in each)) return each;
      return Object.fromEntries(Object.entries(each).filter(([name]) => members.includes(name)));
    }),
  );
}

/** The result of the work, or its refusal, with the code where `strict` is the reason. */
async function outcomeOf(work: () => unknown): Promise<unknown> {
  try {
    return { value: await work() };
  } catch (error) {
    const isOfQuery = error instanceof OperationError && error.code.startsWith("STRICT");
    return { refused: isOfQuery ? error.code : true };
  }
}

/** A record of any of the three kinds. */
interface Item {
  id: string;
  name?: string | undefined;
  slug?: string;
  permissions?: readonly string[];
  defaultByteLength?: number | undefined;
  storeEncryptedKeys?: boolean;
  keyspaceId?: string;
}
type Change = Partial<Omit<Item, "id">>;

interface Kind {
  readonly of: (workspace: PublicWorkspace) => unknown;
  readonly schema: z.ZodType;
  /** Members that must be unique. */
  readonly unique: readonly ("id" | "name" | "slug")[];
  /** Whether records are kept in the order of their ids, and not of creation. */
  readonly isSorted?: true;
  readonly init: fc.Arbitrary<Item>;
  /** A change of one record by `update`. */
  readonly change: fc.Arbitrary<Change>;
  /** A change of several records by `updateMany`. */
  readonly changeMany: fc.Arbitrary<Change>;
}

const ids = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
const names = fc.constantFrom("ann", "bob", "Cy", "dan", "é");
const byteLengths = fc.constantFrom(undefined, 16, 32, 255);
const lists = fc.uniqueArray(names, { maxLength: 3 });
const apiChange = fc.record(
  { name: names, defaultByteLength: byteLengths, storeEncryptedKeys: fc.boolean() },
  { requiredKeys: [] },
);
// Values that do not fit the schema are refused by both.
const wrong: fc.Arbitrary<Change> = fc.constantFrom({ name: 5 as never }, { name: "" });

const kinds: Record<string, Kind> = {
  apis: {
    of: ({ apis }) => apis,
    schema: z.object({
      id: z.string(),
      name: z.string().optional(),
      defaultPrefix: z.string().optional(),
      defaultByteLength: z.number().min(16).optional(),
      storeEncryptedKeys: z.boolean().default(false),
      keyspace: z.boolean().default(true),
      keyspaceId: z.string(),
      deleteProtection: z.boolean().default(false),
    }),
    unique: ["id"],
    // The library generates no ids, so the keyspace id is given.
    init: fc.tuple(ids, apiChange).map(([id, rest]) => ({ id, keyspaceId: `ks_${id}`, ...rest })),
    change: fc.oneof({ weight: 9, arbitrary: apiChange }, fc.constant({ defaultByteLength: 5 })),
    changeMany: fc.oneof(
      { weight: 9, arbitrary: apiChange },
      fc.constant({ defaultByteLength: 5 }),
    ),
  },
  permissions: {
    of: ({ permissions }) => permissions,
    schema: z.object({ id: z.string(), name: z.string().min(1), slug: z.string() }),
    unique: ["id", "slug"],
    isSorted: true,
    init: fc.record({ id: ids, name: names, slug: names }),
    change: fc.oneof({ weight: 9, arbitrary: fc.record({ name: names, slug: names }) }, wrong),
    changeMany: wrong,
  },
  roles: {
    of: ({ roles }) => roles,
    schema: z.object({
      id: z.string(),
      name: z.string().min(1),
      permissions: z.array(z.string()).default([]),
    }),
    unique: ["id", "name"],
    isSorted: true,
    init: fc.oneof(
      fc.record({ id: ids, name: names }),
      fc.record({ id: ids, name: names, permissions: lists }),
    ),
    change: fc.oneof(
      { weight: 9, arbitrary: fc.record({ name: names, permissions: lists }) },
      wrong,
    ),
    changeMany: fc.record({ permissions: lists }),
  },
};

/** Without conditions on lists and queries without a predicate: see the list above the test. */
const condition = fc.oneof(
  fc.record({ name: names }),
  fc.record({ id: ids }),
  fc.record({ storeEncryptedKeys: fc.boolean() }),
  names.map((least) => ({ name: (name: string | undefined) => (name ?? "") > least })),
  ids.map((least) => (item: Item) => item.id >= least),
);
type ItemQuery = Query<Item>;
type Where = (q: ItemQuery) => ItemQuery;

const simple: fc.Arbitrary<Where> = condition.map((each) => (q) => q.where(each as never));
const query: fc.Arbitrary<Where> = fc.oneof(
  simple,
  fc.tuple(simple, condition).map(
    ([one, other]): Where =>
      (q) =>
        one(q).and(other as never),
  ),
  fc.tuple(simple, condition).map(
    ([one, other]): Where =>
      (q) =>
        one(q).or(other as never),
  ),
  fc.tuple(simple, simple).map(
    ([one, other]): Where =>
      (q) =>
        q.or(one(q), other(q)),
  ),
  fc.tuple(simple, simple).map(
    ([one, other]): Where =>
      (q) =>
        q.and(one(q), other(q)),
  ),
  ids.map(
    (id): Where =>
      () =>
        new Query<Item>((item) => item.id !== id),
  ),
);
const direction = fc.constantFrom("asc" as const, "desc" as const);
const criterion = fc.oneof(
  fc.record({ name: direction }),
  fc.record({ defaultByteLength: direction, id: direction }),
  fc.record({ storeEncryptedKeys: direction, name: direction }),
);
const orderBy = fc.oneof(
  fc.constant(undefined),
  criterion,
  fc.array(criterion, { minLength: 1, maxLength: 2 }),
);
const strict = fc.boolean();
const place = fc.option(fc.nat(7), { nil: undefined });
const pages = fc.record(
  {
    // Not 0, which the library treats as 1.
    take: fc.constantFrom(1, 2, 3, -1, -2, -9, Infinity),
    skip: fc.constantFrom(0, 0, 1, 2, -1, 0.5),
    orderBy,
    strict,
  },
  { requiredKeys: [] },
);

function stepsOf({ change, changeMany, init }: Kind) {
  const kind = <Name extends string>(name: Name) => ({ kind: fc.constant(name) });
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ ...kind("create"), init }) },
    fc.record({ ...kind("createMany"), inits: fc.array(init, { maxLength: 3 }) }),
    fc.record({ ...kind("findFirst"), query: fc.option(query, { nil: undefined }), strict }),
    fc.record({ ...kind("findMany"), query: fc.option(query, { nil: undefined }), pages, place }),
    fc.record({ ...kind("update"), query, place, change, strict, waits: fc.boolean() }),
    fc.record({ ...kind("updateMany"), query, change: changeMany, orderBy, strict }),
    fc.record({ ...kind("delete"), query, place, strict }),
    fc.record({ ...kind("deleteMany"), query, orderBy, strict }),
    fc.record(kind("clear")),
    fc.record(kind("count")),
  );
}
type Step = ReturnType<typeof stepsOf> extends fc.Arbitrary<infer Value> ? Value : never;

/** The step with ids that are greater than those of all steps before. */
function withAscendingIds(step: Step, index: number): Step {
  const idOf = (position: number) => `i${String(index).padStart(2, "0")}${position}`;
  if (step.kind === "create") return { ...step, init: { ...step.init, id: idOf(0) } };
  if (step.kind !== "createMany") return step;
  return { ...step, inits: step.inits.map((init, position) => ({ ...init, id: idOf(position) })) };
}

/** Performs a step; `at` returns the record at a place as it was when it was created. */
function perform(records: Records<Item>, step: Step, at: (place: number) => Item | undefined) {
  const target = (where: Where, index: number | undefined) =>
    ((index === undefined ? undefined : at(index)) ?? where) as never;
  switch (step.kind) {
    case "create":
      return records.create(step.init);
    case "createMany":
      return records.createMany(step.inits.length, (index) => step.inits[index] as Item);
    case "findFirst":
      return records.findFirst(step.query as never, { strict: step.strict });
    case "findMany": {
      const cursor = step.place === undefined ? undefined : at(step.place);
      return records.findMany(step.query as never, { ...step.pages, cursor } as never);
    }
    case "update": {
      const { change, strict: isStrict, waits } = step;
      const now = (draft: object) => void Object.assign(draft, change);
      const later = (draft: object) => Promise.resolve().then(() => now(draft));
      return records.update(target(step.query, step.place), {
        data: waits ? later : now,
        strict: isStrict,
      });
    }
    case "updateMany": {
      const data = (draft: object) => void Object.assign(draft, step.change);
      const options = { data, orderBy: step.orderBy, strict: step.strict };
      return records.updateMany(step.query as never, options as never);
    }
    case "delete":
      return records.delete((records.all()[step.place ?? Infinity] ?? step.query) as never, {
        strict: step.strict,
      });
    case "deleteMany": {
      const options = { orderBy: step.orderBy, strict: step.strict };
      return records.deleteMany(step.query as never, options as never);
    }
    case "clear":
      return records.clear();
    case "count":
      return records.count();
  }
}

/** Whether a step would duplicate a unique member, which the library does not check. */
function isTaken(records: Records<Item>, step: Step, { unique }: Kind, target?: Item): boolean {
  const given =
    step.kind === "create"
      ? [step.init]
      : step.kind === "createMany"
        ? step.inits
        : step.kind === "update" && target !== undefined
          ? [{ ...target, ...step.change }]
          : [];
  const others = records.all().filter(({ id }) => id !== target?.id);
  return unique.some((name) => {
    const values = [...others, ...given].map((item) => item[name]);
    return new Set(values).size < values.length;
  });
}

/*
 * The steps leave out behaviour of @msw/data 1.1.7 that latchkey does not copy:
 * - `new Query()` without a predicate matches nothing;
 * - a condition on a list is compared with each item, and functions in it are not called;
 * - `take: 0` yields one record;
 * - createMany keeps the records that it made before one is refused;
 * - delete returns a given record as it was given, even if it was deleted before;
 * - clear emits no event for every other record.
 */
describe("any sequence of calls", () => {
  test.each(Object.entries(kinds))(
    "any calls give the same records in the same order as @msw/data: %s",
    async (_, kind) => {
      const quiet = vi.spyOn(console, "error").mockImplementation(() => {});
      try {
        await fc.assert(
          fc.asyncProperty(
            fc.array(stepsOf(kind), { maxLength: 40, size: "max" }),
            async (steps) => {
              const workspace = await givenWorkspace();
              const ours = kind.of(workspace) as Records<Item>;
              ours.clear();
              const theirs = new Collection({ schema: kind.schema }) as unknown as Records<Item>;
              // Records as they were created, because later versions count as the same record.
              const first = new Map<Records<Item>, Map<string, Item>>();
              const note = (records: Records<Item>) => {
                const known = first.get(records) ?? new Map<string, Item>();
                const entries = records
                  .all()
                  .map((item): [string, Item] => [item.id, known.get(item.id) ?? item]);
                first.set(records, new Map(entries));
              };
              const sorted = steps.map(withAscendingIds);
              for (const step of kind.isSorted ? sorted : steps) {
                for (const records of [ours, theirs]) note(records);
                const act = (records: Records<Item>) =>
                  perform(
                    records,
                    step,
                    (index) => [...(first.get(records)?.values() ?? [])][index],
                  );
                const target =
                  step.kind === "update"
                    ? (ours.all()[step.place ?? Infinity] ?? ours.findFirst(step.query as never))
                    : undefined;
                if (isTaken(ours, step, kind, target)) {
                  await expect(async () => act(ours)).rejects.toThrow(UsageError);
                } else {
                  const outcome = plain(await outcomeOf(() => act(ours)));
                  expect(outcome).toEqual(plain(await outcomeOf(() => act(theirs))));
                }
                expect(plain(ours.all())).toEqual(plain(theirs.all()));
              }
            },
          ),
          { numRuns: 50 },
        );
      } finally {
        quiet.mockRestore();
      }
    },
  );
});

import { expect, test } from "vitest";
import * as z from "zod";
import { defineOperation, UsageError, type FaultInit } from "../../src/index.ts";
import { createKey, givenEmulator, givenLogged, listKeys } from "../_emulator.ts";

const key = { apiId: "api_one" };

test("faults.list shows how often each fault was applied; remove and clear take faults away", async () => {
  const { faults, ...emulator } = await givenEmulator().then((made) => ({
    fetch: made.fetch,
    faults: made.faults,
  }));
  const first = faults.add({ status: 500, times: 1 });
  const second = faults.add({ latency: [0, 1], probability: 1 });
  faults.add({ effect: "truncate", operation: "keys.createKey" });

  await listKeys(emulator, key);

  const applied = { when: "before", hits: 1, isPending: false };
  const waiting = { when: "after", hits: 0, isPending: true };
  expect(JSON.parse(JSON.stringify(faults.list()))).toEqual([
    { ...applied, id: "fault_1", times: 1, status: 500, code: "INTERNAL_SERVER_ERROR" },
    { ...applied, id: "fault_2", probability: 1, latency: [0, 1] },
    { ...waiting, id: "fault_3", operation: "keys.createKey", effect: "truncate" },
  ]);
  expect(faults.remove(first)).toBe(true);
  expect(faults.remove(first)).toBe(false);
  expect(faults.remove({ id: second.id })).toBe(true);
  expect(faults.list()).toHaveLength(1);
  faults.clear();
  expect(faults.list()).toEqual([]);
  expect(faults.add({ status: 500 }).id).toBe("fault_4");
});

test("faults.pending lists faults that were not applied yet, or fewer times than they ask for", async () => {
  const emulator = await givenEmulator();
  const twice = emulator.faults.add({ operation: "keys.createKey", status: 500, times: 2 });
  const ever = emulator.faults.add({ operation: "apis.listKeys", status: 500 });

  const before = emulator.faults.pending();
  await createKey(emulator, key);
  await listKeys(emulator, key);

  expect(before).toEqual([twice, ever]);
  expect(emulator.faults.pending()).toEqual([twice]);
  await createKey(emulator, key);
  expect(emulator.faults.pending()).toEqual([]);
});

test("faults.pending ignores the fault of the option latency", async () => {
  const emulator = await givenEmulator({ latency: 1 });

  expect(emulator.faults.list()).toHaveLength(1);
  expect(emulator.faults.pending()).toEqual([]);
});

test("latencies of several faults add up to an hour at most", async () => {
  const emulator = await givenEmulator();
  for (let count = 0; count < 700; count += 1) emulator.faults.add({ latency: 3_600_000 });
  let isAnswered = false;

  const answer = createKey(emulator, key).then(() => (isAnswered = true));
  await emulator.requests.waitFor({ operation: "keys.createKey" });
  const wasAnswered = isAnswered;
  await emulator.reset();
  await answer;

  expect(wasAnswered).toBe(false);
});

test("a fault keeps its own copy of the match and the headers it was added with", async () => {
  const emulator = await givenEmulator();
  const match = { name: "a" };
  const headers = { "Retry-After": "30" };
  emulator.faults.add({ status: 500, headers, match });

  match.name = "b";
  headers["Retry-After"] = "60";
  const answer = await createKey(emulator, { ...key, name: "a" });

  expect([answer.status, answer.headers.get("retry-after")]).toEqual([500, "30"]);
});

test("faults of a fixture may have headers and skip, which the list of faults shows", async () => {
  const fault = { status: 429, headers: { "Retry-After": "30" }, skip: 1 };
  const emulator = await givenEmulator({
    fixtures: [{ apis: [{ id: "api_one" }], faults: [fault] }],
  });

  const statuses = [];
  for (let call = 0; call < 2; call += 1) statuses.push((await createKey(emulator, key)).status);

  expect(statuses).toEqual([200, 429]);
  expect(JSON.parse(JSON.stringify(emulator.faults.list()))).toMatchObject([{ ...fault, hits: 1 }]);
});

const NOTHING =
  "expected one of status, code, type, answer, headers, effect and latency, or it would do nothing";
const NO_REPLY = "cannot be used with the effect drop, which sends no reply";
const NO_HEADER = "expected a valid header name and a value of printable ASCII";
const NO_MATCH = "match: expected an object of values that JSON";
const failing = (members: object) => ({ status: 500, ...members });
const withHeaders = (headers: unknown) => ({ status: 429, headers });
const setByUs =
  "Content-Length content-type Transfer-Encoding Connection Trailer Access-Control-Allow-Origin Unkey-Request-Id X-Latchkey-Hint";

test.each<[init: unknown, problem: string]>([
  [
    { type: "unkey/data/tenant_gone" },
    "type: expected a status or code as well, because this type is none that the service sends",
  ],
  [
    { type: "tenant_gone", status: 410 },
    "type: expected a type of the form unkey/<category>/<specific>, like unkey/data/role_not_found, got ",
  ],
  [failing({ version: "v3" }), 'version: expected "v1" or "v2"'],
  [
    { effect: "drop", type: "unkey/data/api_not_found" },
    "type: cannot be used with the effect drop",
  ],
  [
    failing({ operation: "keys.createKey", version: "v2", match: { ownerId: "a" } }),
    "match.ownerId",
  ],
  ...[{}, { times: 1 }, { headers: {} }].map((init): [object, string] => [init, NOTHING]),
  [{ status: 200 }, "status: expected an integer from 400 to 599, got 200"],
  [withHeaders(["Retry-After"]), "headers: expected an object of headers, got "],
  [withHeaders({ "Retry-After": 30 }), "headers.Retry-After: expected a string, got 30"],
  [withHeaders({ "Retry After": "30" }), NO_HEADER],
  [withHeaders({ "Retry-After": "30\r\nSet-Cookie: a=b" }), `headers.Retry-After: ${NO_HEADER}`],
  [
    withHeaders({ "Retry-After": "1", "retry-after": "2" }),
    "headers.retry-after: is the same header as Retry-After",
  ],
  ...setByUs
    .split(" ")
    .map((name): [object, string] => [
      withHeaders({ [name]: "1" }),
      `headers.${name}: is set by the emulator`,
    ]),
  [{ effect: "drop", headers: { "Retry-After": "1" } }, `headers: ${NO_REPLY}`],
  [failing({ skip: -1 }), "skip: expected an integer of at least 0, got -1"],
  [failing({ times: 0 }), "times: expected an integer of at least 1, got 0"],
  [failing({ probability: 0 }), "probability: expected a number above 0, up to 1, got 0"],
  [failing({ probability: 1.1 }), "probability: expected a number above 0, up to 1, got 1.1"],
  ...[-1, [5, 1], [5], 3_600_001].map((latency): [object, string] => [
    { latency },
    "latency: expected milliseconds, an integer from 0 to 3600000",
  ]),
  [{ effect: "explode" }, 'effect: expected "drop" or "hang" '],
  [
    { operation: "keys.verifyKey", answer: "VALID" },
    'answer: expected "EXPIRED" or "DISABLED" or ',
  ],
  [
    { answer: "EXPIRED" },
    "operation: expected an operation that can answer EXPIRED: keys.verifyKey",
  ],
  [
    { operation: "keys.createKey", answer: "RATE_LIMITED" },
    "operation: expected an operation that can answer RATE_LIMITED: keys.verifyKey, ratelimit.limit, ",
  ],
  [
    { operation: "ratelimit.limit", answer: "EXPIRED" },
    "operation: expected an operation that can answer EXPIRED: keys.verifyKey",
  ],
  ...[{ status: 500 }, { effect: "malformed" }].map((other): [object, string] => [
    { operation: "keys.verifyKey", answer: "EXPIRED", ...other },
    "answer: cannot be used with a status, code, type or effect",
  ]),
  [
    { operation: "keys.verifyKey", answer: "EXPIRED", when: "after" },
    'when: expected "before": the operation itself gives the answer',
  ],
  [{ code: "TEAPOT" }, 'code: expected "BAD_REQUEST" or '],
  [failing({ effect: "drop" }), `status: ${NO_REPLY}`],
  [
    { effect: "truncate", when: "before" },
    'when: expected "after", or a status, code or type as well: truncate changes a reply, and there is none before the operation',
  ],
  [
    failing({ operation: "keys.creatKey" }),
    'operation: unknown operation "keys.creatKey", did you mean "keys.createKey"? (known: keys.createKey, apis.listKeys, ',
  ],
  [
    failing({ operation: "keys.createKey", match: { nmae: "x" } }),
    'match.nmae: unknown member, did you mean "name"?',
  ],
  [
    failing({ operation: "keys.createKey", match: { refill: { amonut: 1 } } }),
    'match.refill.amonut: unknown member, did you mean "amount"?',
  ],
  [
    failing({ operation: "x.".repeat(100) }),
    "operation: unknown operation (200 characters) (known: keys.createKey, ",
  ],
  [failing({ match: { limitt: 1 } }), "match.limitt: unknown member"],
  [failing({ match: { limit: "10" } }), "match.limit: "],
  [
    failing({ operation: "apis.listKeys", match: { limit: 1_000 } }),
    "match.limit: expected an integer from 1 to 100",
  ],
  [failing({ match: { name: 1 } }), "match.name: expected a string, got 1"],
  [failing({ match: { cursor: null } }), "match.cursor: expected a string, got null"],
  [
    failing({ operation: "keys.createKey", match: { externalId: null } }),
    "match.externalId: expected a string, got null",
  ],
  [
    failing({ match: { enabled: null, byteLength: null } }),
    "match.enabled: expected true or false, got null\nfault: match.byteLength: expected a number, got null",
  ],
  [failing({ match: { roles: ["a", null] } }), "match.roles[1]: expected a string, got null"],
  [failing({ match: { roles: "a" } }), 'match.roles: expected an array, got "a"'],
  [
    failing({ match: { ratelimit: { type: null } } }),
    'match.ratelimit.type: expected "fast" or "consistent", got null',
  ],
  [failing({ match: { name: undefined } }), NO_MATCH],
  [failing({ match: { name: /CI/ } }), NO_MATCH],
  [failing({ match: /CI/ }), NO_MATCH],
  [failing({ match: [1] }), NO_MATCH],
  [failing({ statsu: 1 }), 'statsu: unknown member, did you mean "status"?'],
  [null, "expected an object, got null"],
  ["x", "expected an object, got a string of 1 character"],
])("faults.add refuses %j", async (init, problem) => {
  const emulator = await givenEmulator();

  const add = () => emulator.faults.add(init as FaultInit);

  expect(add).toThrow(UsageError);
  expect(add).toThrow(problem.startsWith("expected a valid") ? problem : `fault: ${problem}`);
  expect(emulator.faults.list()).toEqual([]);
});

test("faults of a fixture are in place at the start and again after a reset", async () => {
  const emulator = await givenEmulator({
    latency: [0, 1],
    fixtures: [
      {
        apis: [{ id: "api_one" }],
        faults: [{ operation: "keys.createKey", status: 503, times: 1, match: { name: "x" } }],
      },
    ],
  });
  const statuses = async () => [
    (await createKey(emulator, { ...key, name: "x" })).status,
    (await createKey(emulator, { ...key, name: "x" })).status,
  ];

  const first = await statuses();
  emulator.faults.clear();
  emulator.faults.add({ status: 500 });
  await emulator.reset();

  expect(first).toEqual([503, 200]);
  expect(emulator.faults.list().map(({ id, hits }) => [id, hits])).toEqual([
    ["fault_1", 0],
    ["fault_2", 0],
  ]);
  expect(await statuses()).toEqual([503, 200]);
});

test("a wrong fault in a fixture is refused with the path to it", async () => {
  const faults = [
    { status: 500 },
    { effect: "drop", status: 500 },
    { operation: "keys.create", status: 500 },
  ];
  const linesOf = (given: readonly object[]) =>
    givenEmulator({ fixtures: [{ faults: given } as never] }).then(
      () => [],
      (error: UsageError) => error.problems,
    );

  expect(await linesOf([...faults, { status: "500" }])).toEqual([
    'fixtures[0]: faults[3].status: expected an integer from 400 to 599, got "500"',
  ]);
  expect(await linesOf(faults)).toEqual([
    "fixtures[0]: faults[1].status: cannot be used with the effect drop, which sends no reply",
    expect.stringContaining(
      'fixtures[0]: faults[2].operation: unknown operation "keys.create", did you mean "keys.createKey"? (known: keys.createKey, apis.listKeys, ',
    ),
  ]);
});

test("a match function that throws or returns a promise gives 500, and its error is logged", async () => {
  const { bugs, emulator } = await givenLogged();
  emulator.faults.add({
    status: 404,
    match() {
      throw new Error("mine");
    },
  });

  expect((await createKey(emulator, key)).status).toBe(500);
  emulator.faults.clear();
  emulator.faults.add({ status: 404, match: (async () => false) as never });
  expect((await createKey(emulator, key)).status).toBe(500);
  const errors = bugs.map(({ error }) => error as Error);
  expect(errors.map(({ message }) => message)).toEqual([
    "fault_1: match: the function failed: Error: mine",
    "fault_2: match: expected a synchronous function, got a promise",
  ]);
  expect(errors[0]?.cause).toEqual(new Error("mine"));
});

test("a match is compared with the input after the operation's schema has parsed it", async () => {
  const seen: unknown[] = [];
  const operation = defineOperation({
    contract: {
      name: "tests.read",
      method: "GET",
      path: "/v1/tests.read",
      input: z.object({
        flag: z.enum(["on", "off"]).transform((text) => text === "on"),
        bool: z.stringbool({ truthy: ["y"], falsy: ["n"] }),
        cents: z.string().transform((text) => Number(text) * 100),
        upper: z.string().toUpperCase(),
        trimmed: z.preprocess((text) => (text as string).trim(), z.string()),
        maybe: z.coerce.boolean().optional(),
        limit: z.coerce.number().default(3),
      }),
      output: z.unknown(),
    },
    run({ input }) {
      seen.push(input);
      return {};
    },
  });
  const emulator = await givenEmulator({ operations: [operation] });
  const query = "flag=on&bool=y&cents=5&upper=ab&trimmed=+x";
  const call = () =>
    emulator.fetch(`http://emulator.test/v1/tests.read?${query}`, {
      headers: { Authorization: "Bearer any" },
    });
  await call();
  const input = seen[0] as Record<string, unknown>;

  for (const [name, value] of Object.entries(input)) {
    emulator.faults.clear();
    emulator.faults.add({ match: { [name]: value }, status: 503 });
    emulator.faults.add({ match: { apiId: "api_one" }, status: 504 });
    expect([name, (await call()).status]).toEqual([name, 503]);
  }
});

test("a match may have null for a member only if its schema can yield null", async () => {
  const operation = defineOperation({
    contract: {
      name: "tests.read",
      method: "POST",
      path: "/v1/tests.read",
      input: z.object({
        nullable: z.string().nullable().optional(),
        caught: z.number().catch(null as never),
        either: z.union([z.boolean(), z.null()]).optional(),
        plain: z.string().optional(),
      }),
      output: z.unknown(),
    },
    run: () => ({}),
  });
  const emulator = await givenEmulator({ operations: [operation] });
  const add = (match: object) => () =>
    emulator.faults.add({ operation: "tests.read", match: { ...match }, status: 503 });

  expect(add({ nullable: null, caught: null, either: null })).not.toThrow();
  expect(add({ plain: null })).toThrow("fault: match.plain: expected a string, got null");
});

test("faults of a fixture are checked against the input that the quirks allow", async () => {
  const faults = [{ operation: "apis.listKeys", match: { cursor: "key_abc" }, status: 500 }];
  const fixtures = [{ apis: [{ id: "api_one" }], faults }];
  const emulator = await givenEmulator({ fixtures, quirks: ["plain-cursor", "truthy-strings"] });

  expect((await listKeys(emulator, { ...key, cursor: "key_abc" })).status).toBe(500);
});

import { describe, expect, test } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import {
  ApiError,
  createEmulator,
  defineOperation,
  keyRecord,
  onApi,
  toKeyRecord,
  type ErrorCode,
  type UsageError,
  type Operation,
} from "../../src/index.ts";
import { givenEmulator, send, type Door } from "../_emulator.ts";

const deleteKey = defineOperation({
  contract: {
    name: "keys.deleteKey",
    method: "POST",
    path: "/v1/keys.deleteKey",
    summary: "Delete a key",
    input: z.object({
      keyId: z.string().min(1).describe("The key to delete."),
      reasons: z
        .array(z.enum(["leaked", "unused"]))
        .max(2)
        .optional(),
      times: z.int().positive().optional(),
      note: z.string("expected a note").optional(),
    }),
    output: z.object({}),
    errors: ["NOT_FOUND"],
  },
  requires({ workspace, input }) {
    return [onApi(workspace.keys.get(input.keyId)?.apiId ?? "*", "delete_key")];
  },
  run({ workspace, input: { keyId } }) {
    if (workspace.keys.get(keyId) === undefined) {
      throw new ApiError("NOT_FOUND", "keyId: this workspace has no key with this id");
    }
    workspace.keys.delete((q) => q.where({ id: keyId }));
    return {};
  },
});

const getKey = defineOperation({
  contract: {
    name: "keys.getKey",
    method: "GET",
    path: "/v1/keys.getKey",
    input: mini.object({ keyId: mini.string(), decrypt: mini.optional(mini.stringbool()) }),
    output: keyRecord,
  },
  run({ workspace, input: { keyId, decrypt = false } }) {
    const key = workspace.keys.get(keyId);
    if (key === undefined) throw new ApiError("NOT_FOUND", "keyId: there is none");
    return toKeyRecord(workspace, key, { decrypt });
  },
});

const operations = [deleteKey, getKey];
const fixtures = [
  {
    tokens: [
      { token: "root", permissions: ["*"] },
      { token: "one", permissions: ["api.api_one.delete_key"] },
      { token: "reader", permissions: [] },
    ],
    apis: [{ id: "api_one" }, { id: "api_two" }],
    keys: [
      { id: "key_1", apiId: "api_one", name: "first", key: "secret_1", recoverable: false },
      { id: "key_2", apiId: "api_two" },
    ],
  },
];

const post = (door: Door, body: unknown, token = "root") =>
  send(
    door,
    new Request("http://emulator.test/v1/keys.deleteKey", {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
const get = (door: Door, query: string, token = "root") =>
  send(
    door,
    new Request(`http://emulator.test/v1/keys.getKey?${query}`, {
      headers: { Authorization: `Bearer ${token}` },
    }),
  );

test("a user's own operation reads and changes the workspace", async () => {
  const emulator = await givenEmulator({ fixtures, operations });

  const before = await get(emulator, "keyId=key_1");
  const deleted = await post(emulator, { keyId: "key_1" });
  const after = await get(emulator, "keyId=key_1");

  expect(before.body).toMatchObject({ id: "key_1", name: "first", apiId: "api_one" });
  expect([deleted.status, deleted.body]).toEqual([200, {}]);
  expect(deleted.headers.get("unkey-request-id")).toMatch(/^req_/);
  expect([after.status, after.body.error.code]).toEqual([404, "NOT_FOUND"]);
  expect(emulator.keys.all().map(({ id }) => id)).toEqual(["key_2"]);
});

test("its token is asked for, and for what the operation requires", async () => {
  const emulator = await givenEmulator({ fixtures, operations });

  const answers = [
    await post(emulator, { keyId: "key_1" }, "nobody"),
    await post(emulator, { keyId: "key_1" }, "reader"),
    await post(emulator, { keyId: "key_2" }, "one"),
    await post(emulator, { keyId: "key_1" }, "one"),
    await get(emulator, "keyId=key_2", "reader"),
  ];

  expect(answers.map(({ status }) => status)).toEqual([401, 403, 403, 200, 200]);
  expect(answers[1]?.body.error.message).toBe(
    "the token needs api.*.delete_key or api.api_one.delete_key",
  );
});

test.each([
  [{}, "keyId: expected a string, got nothing"],
  [{ keyId: 7 }, "keyId: expected a string, got 7"],
  [{ keyId: "" }, "keyId: expected a string of at least 1 character, got a string of 0 characters"],
  [
    { keyId: "k", reasons: ["leaked", "other"] },
    'reasons.1: expected "leaked" or "unused", got a string of 5 characters',
  ],
  [
    { keyId: "k", reasons: ["leaked", "leaked", "leaked"] },
    "reasons: expected an array of at most 2 items, got an array of 3 items",
  ],
  [{ keyId: "k", reasons: "leaked" }, "reasons: expected an array, got a string of 6 characters"],
  [{ keyId: "k", times: 1.5 }, "times: expected an integer, got 1.5"],
  [{ keyId: "k", times: 0 }, "times: expected a number of more than 0, got 0"],
  [{ keyId: "k", note: 1 }, "note: expected a note, got 1"],
  [[], "body: expected an object, got an array of 0 items"],
])("its input %j is refused in the words of the others", async (body, message) => {
  const emulator = await givenEmulator({ fixtures, operations });

  const answer = await post(emulator, body);

  expect([answer.status, answer.body.error.code]).toEqual([400, "BAD_REQUEST"]);
  expect(answer.body.error.message).toBe(message);
});

test("its query is read by its schema", async () => {
  const emulator = await givenEmulator({ fixtures, operations });

  expect((await get(emulator, "keyId=key_1&decrypt=true")).status).toBe(200);
  expect((await get(emulator, "keyId=key_1&decrypt=maybe")).body.error.message).toMatch(
    /^decrypt: expected /,
  );
  expect((await get(emulator, "decrypt=true")).body.error.message).toBe(
    "keyId: expected a string, got nothing",
  );
});

test("members that it does not know are warned of, and refused by strict", async () => {
  const warnings: string[] = [];
  const emulator = await givenEmulator({
    fixtures,
    operations,
    log: (entry) => {
      if (entry.kind === "warning") warnings.push(entry.message);
    },
  });
  const strict = await givenEmulator({ fixtures, operations, strict: true });

  expect((await post(emulator, { keyId: "key_1", permanent: true })).status).toBe(200);
  expect(warnings.join()).toContain("keys.deleteKey: permanent");
  expect((await post(strict, { keyId: "key_1", permanent: true })).status).toBe(400);
});

test("it stands in the log, in Allow and in the OpenAPI document", async () => {
  const entries: unknown[] = [];
  const log = (entry: unknown) => void entries.push(entry);
  const emulator = await givenEmulator({ fixtures, operations, log });
  await post(emulator, { keyId: "key_none" });
  const request = new Request("http://emulator.test/v1/keys.deleteKey", { method: "PUT" });
  const wrongMethod = await send(emulator, request);

  // oxlint-disable-next-line typescript/no-explicit-any
  const { paths } = (await emulator.openapi()) as { paths: any };

  expect(entries[0]).toMatchObject({ operation: "keys.deleteKey", status: 404, code: "NOT_FOUND" });
  expect(wrongMethod.headers.get("allow")).toBe("POST, OPTIONS");
  expect(Object.keys(paths)).toEqual([
    "/v1/keys.createKey",
    "/v1/apis.listKeys",
    "/v1/keys.deleteKey",
    "/v1/keys.getKey",
  ]);
  const { post: described } = paths["/v1/keys.deleteKey"];
  expect(described.summary).toBe("Delete a key");
  expect(Object.keys(described.responses)).toEqual(["200", "404", "413"]);
  expect(
    described.requestBody.content["application/json"].schema.properties.keyId.description,
  ).toBe("The key to delete.");
  expect(paths["/v1/keys.getKey"].get.summary).toBe("keys.getKey");
});

/** An operation that does just this. */
const doing = (run: Operation["run"], name = "tests.run") =>
  defineOperation({
    contract: {
      name,
      method: "POST",
      path: `/v1/${name}`,
      input: z.looseObject({}),
      output: z.unknown(),
    },
    run,
  });

const call = (door: Door, body: unknown = {}) =>
  send(
    door,
    new Request("http://emulator.test/v1/tests.run", {
      method: "POST",
      headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
      body: JSON.stringify(body),
    }),
  );

test("a hint holds what a header can hold of it", async () => {
  const run = () => {
    throw new ApiError("NOT_FOUND", "gone → elsewhere", { hint: "first\nécrire → it\u0000" });
  };
  const emulator = await givenEmulator({ operations: [doing(run)] });

  const { status, headers, body } = await call(emulator);

  expect([status, headers.get("x-latchkey-hint")]).toEqual([404, "first?crire ? it?"]);
  expect(body.error.message).toBe("gone → elsewhere");
});

test.each([
  ["GONE", {}, "expected a code of BAD_REQUEST, "],
  ["NOT_FOUND", { status: 204 }, "expected a status from 400 to 599, got 204"],
  ["NOT_FOUND", { status: 99 }, "expected a status from 400 to 599, got 99"],
  ["NOT_FOUND", { headers: { "Retry After": "1" } }, 'printable ASCII, got "Retry After"'],
  ["NOT_FOUND", { headers: { "X-Note": "é" } }, 'printable ASCII, got "X-Note"'],
  ["NOT_FOUND", { headers: { "Content-Length": "1" } }, "Content-Length is set by the emulator"],
])("a refusal %s with %j that no reply could carry is a bug, and told as one", async (...row) => {
  const [code, details, message] = row;
  const bugs: unknown[] = [];
  const emulator = await givenEmulator({
    log: (entry) => void (entry.kind === "bug" && bugs.push(entry.error)),
    operations: [
      doing(() => {
        throw new ApiError(code as ErrorCode, "odd", details);
      }),
    ],
  });

  const { status, body } = await call(emulator);

  expect([status, body.error.code]).toEqual([500, "INTERNAL_SERVER_ERROR"]);
  expect(String(bugs)).toContain(message);
});

test.each([undefined, () => {}, 1n])("what JSON cannot hold is a bug: %s", async (output) => {
  const bugs: unknown[] = [];
  const emulator = await givenEmulator({
    log: (entry) => void (entry.kind === "bug" && bugs.push(entry.error)),
    operations: [doing(() => output)],
  });

  expect((await call(emulator)).status).toBe(500);
  expect(bugs).toHaveLength(1);
});

test.each([() => ["delete_key"], async () => [], () => undefined])(
  "what is no list of requirements is a bug that names the operation: %s",
  async (requires) => {
    const bugs: unknown[] = [];
    const odd = { ...doing(() => ({})), requires: requires as never };
    const emulator = await givenEmulator({
      log: (entry) => void (entry.kind === "bug" && bugs.push(entry.operation, entry.error)),
      operations: [odd],
    });

    expect((await call(emulator)).status).toBe(500);
    expect(bugs[0]).toBe("tests.run");
    expect(String(bugs[1])).toContain("tests.run: requires: expected an array of requirements");
  },
);

test("schemas that wrap others hide no unknown members, and loose ones know them all", async () => {
  const inner = z.object({ a: z.int() }).partial();
  const wrapped = defineOperation({
    contract: {
      name: "tests.run",
      method: "POST",
      path: "/v1/tests.run",
      input: z.object({
        nullable: inner.nullable().optional(),
        readonly: inner.readonly().optional(),
        piped: inner.transform((value) => value).optional(),
        loose: z.looseObject({}).optional(),
        strict: z.strictObject({}).optional(),
      }),
      output: z.unknown(),
    },
    run: () => ({}),
  });
  const emulator = await givenEmulator({ operations: [wrapped], strict: true });

  for (const member of ["nullable", "readonly", "piped", "strict"]) {
    const { status, body } = await call(emulator, { [member]: { zz: 1 } });
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(`^${member}.*zz`)]);
  }
  expect((await call(emulator, { loose: { zz: 1 } })).status).toBe(200);
  const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`${n}x`.repeat(9), n]));
  expect((await call(emulator, { strict: many })).body.error.message.length).toBeLessThan(2_000);
});

test("schemas that refer to themselves are kept apart in the OpenAPI document", async () => {
  const folder = z.object({
    name: z.string(),
    get folders() {
      return z.array(folder).optional();
    },
  });
  const chain = z.object({
    size: z.int(),
    get next() {
      return chain.optional();
    },
  });
  const withInput = (name: string, input: z.ZodObject) =>
    defineOperation({
      ...doing(() => 1, name),
      contract: { ...doing(() => 1, name).contract, input },
    });
  const emulator = await givenEmulator({
    operations: [
      withInput("tests.root", folder),
      withInput("tests.folder", z.object({ of: folder })),
      withInput("tests.chain", z.object({ of: chain }).describe("see #/$defs/chain")),
      withInput("tests.strict", z.strictObject({ a: z.int() })),
    ],
  });

  // oxlint-disable-next-line typescript/no-explicit-any
  const document = (await emulator.openapi()) as any;

  const bodyOf = (name: string) =>
    document.paths[`/v1/${name}`].post.requestBody.content["application/json"].schema;
  const at = (schema: { $ref: string }) =>
    document.components.schemas[schema.$ref.replace("#/components/schemas/", "")];
  expect(Object.keys(at(bodyOf("tests.root")).properties)).toEqual(["name", "folders"]);
  expect(at(at(bodyOf("tests.root")).properties.folders.items)).toBe(at(bodyOf("tests.root")));
  expect(Object.keys(at(bodyOf("tests.folder").properties.of).properties)).toContain("folders");
  expect(Object.keys(at(bodyOf("tests.chain").properties.of).properties)).toEqual(["size", "next"]);
  expect(bodyOf("tests.chain").description).toBe("see #/$defs/chain");
  expect(bodyOf("tests.strict").additionalProperties).toBe(false);
});

describe("what cannot be served is refused", () => {
  const { contract } = deleteKey;
  const refusal = (operation: unknown) =>
    createEmulator({ operations: [operation as Operation] }).then(
      () => [],
      (error: UsageError) => error.problems,
    );

  test.each([
    [
      { ...contract, name: "deleteKey" },
      'contract.name: expected a name like "keys.deleteKey", got "deleteKey"',
    ],
    [{ ...contract, method: "DELETE" }, 'contract.method: expected "GET" or "POST", got "DELETE"'],
    [{ ...contract, input: z.string() }, "contract.input: expected the schema of an object"],
    [{ ...contract, output: {} }, "contract.output: expected a schema, made with zod 4"],
    [{ ...contract, errors: ["GONE"] }, "contract.errors[0]: expected"],
    [{ ...contract, sumary: "" }, 'contract.sumary: unknown member, did you mean "summary"?'],
  ])("contract %#", async (odd, line) => {
    const [problem] = await refusal({ ...deleteKey, contract: odd });

    expect(problem).toContain(`options: operations[0].${line}`);
  });

  test.each([
    "v1/x",
    "/v1/x?y",
    "/v1/ünï",
    "/v1/{id}",
    "/v1/../x",
    "/v1/a b",
    "/v1/keys/:id",
    "",
    7,
  ])("path %j, which no request has", async (path) => {
    const [problem] = await refusal({ ...deleteKey, contract: { ...contract, path } });

    expect(problem).toContain("contract.path: expected a path as a URL holds it");
  });

  test("an operation without its function", async () => {
    expect(await refusal({ ...deleteKey, run: undefined })).toEqual([
      "options: operations[0].run: expected a function, which does the work, got nothing",
    ]);
    expect(await refusal(null)).toEqual(["options: operations[0]: expected an object, got null"]);
  });

  test("a name or a path that is taken", async () => {
    const again = defineOperation({
      ...getKey,
      contract: { ...getKey.contract, name: "keys.get" },
    });
    const ours = defineOperation({
      ...getKey,
      contract: { ...getKey.contract, name: "keys.createKey" },
    });
    const problems = await createEmulator({ operations: [getKey, again, ours] }).catch(
      (error: UsageError) => error.problems,
    );

    expect(problems).toEqual([
      'options: operations[1].contract.path: expected one that is not taken (keys.getKey has it), got "/v1/keys.getKey"',
      'options: operations[2].contract.name: expected one that is not taken (keys.createKey has it), got "keys.createKey"',
      'options: operations[2].contract.path: expected one that is not taken (keys.getKey has it), got "/v1/keys.getKey"',
    ]);
  });
});

import { expect, test } from "vitest";
import * as z from "zod";
import {
  ApiError,
  defineOperation,
  onApi,
  type ApiErrorDetails,
  type DemandRefusal,
  type ErrorCode,
} from "../../src/index.ts";
import { createLog } from "../../src/cli/log-lines.ts";
import { operationsOf } from "../../src/service/operations/table.ts";
import { givenEmulator, givenLogged, post as postTo, send, type Door } from "../_emulator.ts";
import { deleteIdentity, doing, getIdentity } from "../_own-operations.ts";

const operations = [deleteIdentity, getIdentity];
const fixtures = [
  {
    tokens: [
      { token: "root", permissions: ["*"] },
      { token: "one", permissions: ["api.api_one.delete_key"] },
      { token: "reader", permissions: [] },
    ],
    apis: [{ id: "api_one" }, { id: "api_two" }],
    identities: [
      { id: "id_1", externalId: "ann" },
      { id: "id_2", externalId: "bob" },
    ],
    keys: [
      {
        id: "key_1",
        apiId: "api_one",
        externalId: "ann",
        name: "first",
        key: "secret_1",
        recoverable: false,
      },
      { id: "key_2", apiId: "api_two", externalId: "bob" },
    ],
  },
];

const post = (door: Door, body: unknown, token = "root") =>
  postTo(door, "/v1/identities.deleteIdentity", body, { token });
const get = (door: Door, query: string, token = "root") =>
  send(
    door,
    new Request(`http://emulator.test/v1/identities.getIdentity?${query}`, {
      headers: { Authorization: `Bearer ${token}` },
    }),
  );

test("a user's operation reads and changes the workspace", async () => {
  const emulator = await givenEmulator({ fixtures, operations });

  const before = await get(emulator, "identityId=id_1");
  const deleted = await post(emulator, { identityId: "id_1" });
  const after = await get(emulator, "identityId=id_1");

  expect(before.body).toMatchObject({
    externalId: "ann",
    keys: [{ id: "key_1", name: "first", apiId: "api_one" }],
  });
  expect([deleted.status, deleted.body]).toEqual([200, {}]);
  expect(deleted.headers.get("unkey-request-id")).toMatch(/^req_/);
  expect([after.status, after.body.error.code]).toEqual([404, "NOT_FOUND"]);
  expect(emulator.keys.all().map(({ id }) => id)).toEqual(["key_2"]);
});

test("a user's operation needs a known token with the permissions that it requires", async () => {
  const emulator = await givenEmulator({ fixtures, operations });

  const answers = [
    await post(emulator, { identityId: "id_1" }, "nobody"),
    await post(emulator, { identityId: "id_1" }, "reader"),
    await post(emulator, { identityId: "id_2" }, "one"),
    await post(emulator, { identityId: "id_1" }, "one"),
    await get(emulator, "identityId=id_2", "reader"),
  ];

  expect(answers.map(({ status }) => status)).toEqual([401, 403, 403, 200, 200]);
  expect(answers[1]?.body.error.message).toBe(
    "the token needs api.*.delete_key or api.api_one.delete_key",
  );
});

test.each([
  [{}, "identityId: expected a string, got nothing"],
  [{ identityId: 7 }, "identityId: expected a string, got 7"],
  [
    { identityId: "" },
    "identityId: expected a string of at least 1 character, got a string of 0 characters",
  ],
  [
    { identityId: "k", reasons: ["leaked", "other"] },
    'reasons.1: expected "leaked" or "unused", got a string of 5 characters',
  ],
  [
    { identityId: "k", reasons: ["leaked", "leaked", "leaked"] },
    "reasons: expected an array of at most 2 items, got an array of 3 items",
  ],
  [
    { identityId: "k", reasons: "leaked" },
    "reasons: expected an array, got a string of 6 characters",
  ],
  [{ identityId: "k", times: 1.5 }, "times: expected an integer, got 1.5"],
  [{ identityId: "k", times: 0 }, "times: expected a number of more than 0, got 0"],
  [{ identityId: "k", note: 1 }, "note: expected a note, got 1"],
  [[], "body: expected an object, got an array of 0 items"],
])("a user's operation refuses an input like the built-in ones: row %#", async (body, message) => {
  const emulator = await givenEmulator({ fixtures, operations });

  const answer = await post(emulator, body);

  expect([answer.status, answer.body.error.code]).toEqual([400, "BAD_REQUEST"]);
  expect(answer.body.error.message).toBe(message);
});

test("the query of a user's operation is parsed by its schema", async () => {
  const emulator = await givenEmulator({ fixtures, operations });

  expect((await get(emulator, "identityId=id_1&decrypt=true")).status).toBe(200);
  expect((await get(emulator, "identityId=id_1&decrypt=maybe")).body.error.message).toMatch(
    /^decrypt: expected /,
  );
  expect((await get(emulator, "decrypt=true")).body.error.message).toBe(
    "identityId: expected a string, got nothing",
  );
});

test("unknown members sent to a user's operation are logged, and refused in strict mode", async () => {
  const { emulator, warnings } = await givenLogged({ fixtures, operations });
  const strict = await givenEmulator({ fixtures, operations, strict: true });

  expect((await post(emulator, { identityId: "id_1", permanent: true })).status).toBe(200);
  expect(warnings.join()).toContain("identities.deleteIdentity: permanent");
  expect((await post(strict, { identityId: "id_1", permanent: true })).status).toBe(400);
});

test("a user's operation appears in the log, in Allow and in the OpenAPI document", async () => {
  const entries: unknown[] = [];
  const log = (entry: unknown) => void entries.push(entry);
  const emulator = await givenEmulator({ fixtures, operations, log });
  await post(emulator, { identityId: "id_none" });
  const request = new Request("http://emulator.test/v1/identities.deleteIdentity", {
    method: "PUT",
  });
  const wrongMethod = await send(emulator, request);

  // oxlint-disable-next-line typescript/no-explicit-any
  const { paths } = (await emulator.openapi("v1")) as { paths: any };

  expect(entries[0]).toMatchObject({
    operation: "identities.deleteIdentity",
    status: 404,
    code: "NOT_FOUND",
  });
  expect(wrongMethod.headers.get("allow")).toBe("POST, OPTIONS");
  expect(Object.keys(paths)).toEqual([
    ...operationsOf(["v1"]).map(({ contract }) => contract.path),
    "/v1/identities.deleteIdentity",
    "/v1/identities.getIdentity",
  ]);
  const { post: described } = paths["/v1/identities.deleteIdentity"];
  expect(described.summary).toBe("Delete an identity and its keys");
  expect(Object.keys(described.responses)).toEqual(["200", "404", "413", "415", "default"]);
  expect(described.tags).toEqual(["identities"]);
  expect(described.description).toBe("Delete an identity and its keys");
  expect(
    described.requestBody.content["application/json"].schema.properties.identityId.description,
  ).toBe("The identity to delete.");
  expect(paths["/v1/identities.getIdentity"].get.summary).toBe("identities.getIdentity");
});

const call = (door: Door, body: unknown = {}) =>
  postTo(door, "/v1/tests.run", body, { token: "any" });

test("an ApiError sends its headers, and its hint as printable ASCII of up to 2,000 characters", async () => {
  const headers = { "Retry-After": "1" };
  const hint = `first\nécrire → it\u0000${"x".repeat(30_000)}`;
  const run = () => {
    throw new ApiError("NOT_FOUND", "gone → elsewhere", { headers, hint });
  };
  const emulator = await givenEmulator({ operations: [doing(run)] });

  const answer = await call(emulator);

  const shown = answer.headers.get("x-latchkey-hint");
  expect([answer.status, answer.body.error.message]).toEqual([404, "gone → elsewhere"]);
  expect(answer.headers.get("retry-after")).toBe("1");
  expect([shown?.slice(0, 20), shown?.length]).toEqual(["first?crire ? it?xxx", 2_000]);
});

test.each([
  ["GONE", {}, "expected a code of BAD_REQUEST, "],
  ["NOT_FOUND", { type: "role_not_found" }, "type: expected a type of the form unkey/<category>/"],
  ["NOT_FOUND", { type: "unkey/data/role/not_found" }, "like unkey/data/role_not_found, got"],
  ["NOT_FOUND", { type: "https://unkey.com/docs/errors/unkey/data/x" }, "type: expected a type"],
  ["NOT_FOUND", { type: "unkey/data/röle" }, "type: expected a type"],
  ["NOT_FOUND", { type: 5 as never }, "got 5"],
  ["NOT_FOUND", { status: 204 }, "expected a status from 400 to 599, got 204"],
  ["NOT_FOUND", { status: 99 }, "expected a status from 400 to 599, got 99"],
  [
    "NOT_FOUND",
    { headers: { "Retry After": "1" } },
    'header "Retry After": expected a valid header name',
  ],
  ["NOT_FOUND", { headers: { "X-Note": "é" } }, 'header "X-Note": expected a valid header name'],
  ["NOT_FOUND", { headers: { "Content-Length": "1" } }, "Content-Length is set by the emulator"],
])("an ApiError that no reply can carry is logged as a bug: row %#", async (...row) => {
  const [code, details, message] = row;
  const run = () => {
    throw new ApiError(code as ErrorCode, "odd", details);
  };
  const { bugs, emulator } = await givenLogged({ operations: [doing(run)] });

  const { status, body } = await call(emulator);

  expect([status, body.error.code]).toEqual([500, "INTERNAL_SERVER_ERROR"]);
  expect(String(bugs[0]?.error)).toContain(message);
});

test.each([undefined, () => {}, 1n])("an output of %s is logged as a bug", async (output) => {
  const { bugs, emulator } = await givenLogged({ operations: [doing(() => output)] });

  expect((await call(emulator)).status).toBe(500);
  expect(bugs).toHaveLength(1);
});

test.each([
  () => ["delete_key"],
  async () => [],
  async () => {
    throw new Error("no rights");
  },
  () => undefined,
])(
  "requires that returns no array is logged as a bug of the operation: row %#",
  async (requires) => {
    const odd = { ...doing(() => ({})), requires: requires as never };
    const { bugs, emulator } = await givenLogged({ operations: [odd] });

    expect((await call(emulator)).status).toBe(500);
    expect(bugs[0]?.operation).toBe("tests.run");
    expect(String(bugs[0]?.error)).toContain(
      "tests.run: requires: expected an array of requirements",
    );
  },
);

/** Looks a key up before it demands the right to the key's API. */
const readValue = defineOperation({
  contract: {
    name: "keys.readValue",
    method: "POST",
    path: "/v1/tests.run",
    input: z.object({ keyId: z.string(), refusal: z.boolean().optional() }),
    output: z.object({}),
  },
  requires: () => [{ oneOf: ["keys.*.read"] }],
  run({ demand, input, workspace }) {
    const key = workspace.keys.get(input.keyId);
    if (key === undefined) throw new ApiError("NOT_FOUND", "keyId: there is none");
    const requirements = [onApi(key.apiId, "decrypt_key"), { oneOf: ["more"], because: "of it" }];
    demand(requirements, input.refusal ? { code: "UNAUTHORIZED", status: 403 } : undefined);
    return {};
  },
});

test.each<[permissions: string[], keyId: string, code: string | undefined, named: string]>([
  [[], "key_none", "INSUFFICIENT_PERMISSIONS", "the token needs keys.*.read"],
  [["keys.*.read"], "key_none", "NOT_FOUND", "keyId: there is none"],
  [
    ["keys.*.read"],
    "key_1",
    "INSUFFICIENT_PERMISSIONS",
    "the token needs api.*.decrypt_key or api.api_one.decrypt_key, and more (because of it)",
  ],
  [
    ["keys.*.read", "api.api_one.decrypt_key"],
    "key_1",
    "INSUFFICIENT_PERMISSIONS",
    "the token needs more (because of it)",
  ],
  [["keys.*.read", "api.*.decrypt_key", "more"], "key_1", undefined, ""],
  [["*"], "key_1", undefined, ""],
])(
  "an operation demands permissions for a key: row %#",
  async (permissions, keyId, code, named) => {
    const emulator = await givenEmulator({
      fixtures: [{ ...fixtures[0], tokens: [{ token: "any", permissions }] }],
      operations: [readValue],
    });

    const { body } = await call(emulator, { keyId });

    expect(body.error?.code).toBe(code);
    expect(body.error?.message ?? "").toBe(named);
  },
);

test("a demand of v2 refuses with the code, status and type that it gives", async () => {
  const refusing = (refusal: DemandRefusal) =>
    defineOperation({
      contract: {
        name: "tests.run",
        method: "POST",
        path: "/v2/tests.run",
        input: z.object({}),
        output: z.object({ data: z.object({}) }),
      },
      run({ demand }) {
        demand([{ oneOf: ["more"] }], refusal);
        return { data: {} };
      },
    });
  const answers = [];
  for (const refusal of [
    { code: "UNAUTHORIZED", status: 403 },
    { code: "NOT_FOUND", type: "unkey/data/key_not_found" },
    { code: "NOT_FOUND", message: "gone", status: 410 },
  ] as const) {
    const emulator = await givenEmulator({
      fixtures: [{ ...fixtures[0], tokens: [{ token: "any", permissions: [] }] }],
      operations: [refusing(refusal)],
    });
    const { body, headers, status } = await postTo(emulator, "/v2/tests.run", {}, { token: "any" });
    answers.push([status, body.error.type, body.error.detail, headers.get("x-latchkey-hint")]);
  }

  const docs = "https://unkey.com/docs/errors";
  expect(answers).toEqual([
    [403, `${docs}/unkey/authorization/forbidden`, "Missing permission: 'more'", null],
    [404, `${docs}/unkey/data/key_not_found`, "Missing permission: 'more'", null],
    [410, `${docs}/unkey/application/precondition_failed`, "gone", "the token needs more"],
  ]);
});

const UNFIT = "unkey/application/precondition_failed";
const CONFLICT = [409, "Conflicting Resource"] as const;
const GONE = [410, "Resource Gone"] as const;
const UNPROCESSABLE = [422, "Unprocessable Entity"] as const;

test.each<
  [code: ErrorCode, details: ApiErrorDetails, status: number, title: string, type?: string]
>([
  ["CONFLICT", { type: "unkey/data/role_already_exists" }, ...CONFLICT],
  ["CONFLICT", {}, ...CONFLICT, UNFIT],
  ["CONFLICT", { type: "unkey/data/tenant-1_already_exists" }, ...CONFLICT],
  ["NOT_FOUND", { status: 410 }, ...GONE, UNFIT],
  ["NOT_FOUND", { status: 410, type: "unkey/data/ratelimit_namespace_gone" }, ...GONE],
  ["BAD_REQUEST", { status: 422, type: "unkey/data/unprocessable" }, ...UNPROCESSABLE],
  ["BAD_REQUEST", { status: 422 }, ...UNPROCESSABLE, "unkey/application/invalid_input"],
  [
    "INTERNAL_SERVER_ERROR",
    { status: 500, type: "unkey/application/service_unavailable" },
    500,
    "Service Unavailable",
  ],
  [
    "INTERNAL_SERVER_ERROR",
    { type: "unkey/application/assertion_failed" },
    500,
    "Internal Server Error",
  ],
  ["BAD_REQUEST", { type: "unkey/constructor/toString" }, 400, "Bad Request"],
])("an ApiError %s with %j is answered in v1 and v2", async (code, details, ...expected) => {
  const run = () => {
    throw new ApiError(code, "refused", details);
  };
  const inV1 = doing(run);
  const inV2 = defineOperation({ ...inV1, contract: { ...inV1.contract, path: "/v2/tests.run" } });
  const emulator = await givenEmulator({ operations: [inV1, inV2] });
  const [status, title, type = details.type] = expected;

  const v1 = await call(emulator);
  const v2 = await postTo(emulator, "/v2/tests.run", {});

  expect([v1.status, v1.body.error.code]).toEqual([status, code]);
  expect([v2.status, v2.body.error]).toEqual([
    status,
    {
      detail: "refused",
      ...(status === 400 && { errors: [] }),
      status,
      title,
      type: `https://unkey.com/docs/errors/${type}`,
    },
  ]);
  expect(emulator.requests.list().at(-1)).toMatchObject({ type, version: "v2" });
});

test("a demand that is not met is refused with the code and status that it names", async () => {
  const emulator = await givenEmulator({
    fixtures: [
      { ...fixtures[0], tokens: [{ token: "any", permissions: ["keys.*.read", "more"] }] },
    ],
    operations: [readValue],
  });

  const { body, headers, status } = await call(emulator, { keyId: "key_1", refusal: true });

  expect([status, body.error.code]).toEqual([403, "UNAUTHORIZED"]);
  expect(body.error.message).toContain("api.*.decrypt_key");
  expect(headers.has("www-authenticate")).toBe(false);
});

test("a demand without an array of requirements is logged as a bug of the operation", async () => {
  const operation = doing(({ demand }) => {
    demand("api.*.read_key" as never);
    return {};
  });
  const { bugs, emulator } = await givenLogged({ operations: [operation] });

  expect((await call(emulator)).status).toBe(500);
  expect(String(bugs[0]?.error)).toContain("tests.run: demand: expected an array of requirements");
});

test("the log of the command line does not take a mistake in a user's operation for a bug of latchkey", async () => {
  const lines: string[] = [];
  const operation = doing(() => {
    throw new Error("no such file");
  });
  const log = createLog("silent", (line) => void lines.push(line));
  const emulator = await givenEmulator({ log, operations: [operation] });

  expect((await call(emulator)).status).toBe(500);
  expect(lines).toEqual([
    expect.stringMatching(/^a mistake in tests\.run, an operation of yours: Error: no such file\n/),
  ]);
});

test("a header that an operation sets again in another case replaces the first", async () => {
  const operation = doing(({ setHeader }) => {
    setHeader("X-Cost", "3");
    setHeader("x-cost", "4");
    return {};
  });
  const emulator = await givenEmulator({ operations: [operation] });

  const { headers } = await call(emulator);

  expect(headers.get("x-cost")).toBe("4");
});

test("the meta of the reply replaces one that an operation of v2 returns", async () => {
  const { contract, ...rest } = doing(() => ({ data: 1, meta: { requestId: "mine" }, more: 2 }));
  const path = "/v2/tests.run";
  const emulator = await givenEmulator({
    operations: [{ ...rest, contract: { ...contract, path } }],
  });

  const { body } = await postTo(emulator, path, {}, { token: "root" });

  const [{ requestId } = {}] = emulator.requests.list();
  expect(body).toEqual({ data: 1, meta: { requestId }, more: 2 });
});

test("an operation may hand a copy of its call to another one", async () => {
  const inner = doing(({ input, isUnseen, may, requestId, setHeader, workspace, workspaces }) => {
    setHeader("X-Inner", "yes");
    return {
      input,
      isUnseen,
      mayAll: may([{ oneOf: ["any"] }]),
      requestId,
      workspace: workspace.id,
      workspaces: workspaces.length,
    };
  });
  const outer = doing((request) => inner.run({ ...request, input: { more: 1 } }));
  const emulator = await givenEmulator({ operations: [outer] });

  const { body, headers } = await call(emulator);

  expect(headers.get("x-inner")).toBe("yes");
  expect(body).toEqual({
    input: { more: 1 },
    isUnseen: false,
    mayAll: true,
    requestId: headers.get("unkey-request-id"),
    workspace: "ws_test",
    workspaces: 1,
  });
});

test("strict mode refuses unknown members in wrapped schemas, and none in loose ones", async () => {
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

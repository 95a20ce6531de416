import fc from "fast-check";
import * as z from "zod";
import { describe, expect, test } from "vitest";
import {
  createEmulator,
  defineOperation,
  UsageError,
  type Emulator,
  type EmulatorOptions,
} from "../../src/index.ts";
import { verbs } from "../../src/page/data/rights.ts";
import { operationsOf } from "../../src/service/operations/table.ts";
import { NOW, post, send, type Answer } from "../_emulator.ts";
import { calls, everything, operationOf } from "../_every-operation.ts";

const token = "root_of_the_test";
const settings: EmulatorOptions = { now: NOW, randomSeed: 1, log: () => {} };

function open(permissions?: readonly string[]): Promise<Emulator> {
  const tokens = permissions && [{ token, permissions: [...permissions] }];
  // A second token may control, so that none is generated.
  const other = { token: "the_other_token", permissions: ["*"] };
  return createEmulator({
    ...settings,
    fixtures: [{ ...everything, ...(tokens && { tokens: [...tokens, other] }) }],
  });
}

/** Calls an operation of either version: one of v1 with a query by GET. */
function call(emulator: Emulator, [path, input]: (typeof calls)[number]): Promise<Answer> {
  if (!path.includes("?")) return post(emulator, path, input, { token });
  const headers = { Authorization: `Bearer ${token}` };
  return send(emulator, new Request(`http://localhost${path}`, { headers }));
}

/** The part of an answer that the client sees. */
function seen({ body, status }: Answer) {
  return { status, body };
}

describe("the permissions that a token needs", () => {
  test.each(calls)("for %s let it pass, and each of them is needed: case %#", async (...one) => {
    const free = await open();
    const expected = seen(await call(free, one));
    const [{ permissions = [], urns = [] } = {}] = free.neededPermissions();
    const [{ urns: urnsOfAny = [] } = {}] = free.neededPermissions({ anyApi: true });
    expect(expected.status).toBe(200);
    expect(permissions.length).toBeGreaterThan(0);

    for (const form of [permissions, urns, urnsOfAny]) {
      const emulator = await open(form);
      expect(seen(await call(emulator, one))).toEqual(expected);
      expect(emulator.neededPermissions()[0]?.unused).toEqual([]);
    }
    for (const missing of permissions) {
      const fewer = await open(permissions.filter((name) => name !== missing));
      expect(seen(await call(fewer, one))).not.toEqual(expected);
      expect(fewer.neededPermissions()[0]?.refused).toEqual([
        { operation: operationOf(one[0]).slice(3), permission: missing, calls: 1 },
      ]);
    }
  });

  test("test/_every-operation.ts calls every operation that demands a right", () => {
    const named = operationsOf().map(({ contract }) => `${contract.version} ${contract.name}`);
    const called = new Set(calls.map(([path]) => operationOf(path)));

    expect(named.filter((name) => !called.has(name))).toEqual(["v1 keys.verifyKey"]);
  });

  test("are those by which the web page offers its operations", async () => {
    for (const [operation, verb] of Object.entries(verbs)) {
      const emulator = await open();
      const one = calls.find(([path]) => path === `/v2/${operation}`);
      expect(one, operation).toBeDefined();
      if (one !== undefined) await call(emulator, one);
      const [{ permissions = [] } = {}] = emulator.neededPermissions({ anyApi: true });
      expect(
        permissions.map((name) => name.replace(/rlns_\w+/, "*")),
        operation,
      ).toContain(`api.*.${verb}`);
    }
  });

  test("name any API if that is asked for", async () => {
    const emulator = await open();
    await post(emulator, "/v2/keys.createKey", { apiId: "api_first" }, { token });
    await post(emulator, "/v2/keys.createKey", { apiId: "api_second" }, { token });

    expect(emulator.neededPermissions().map(({ permissions }) => permissions)).toEqual([
      ["api.api_first.create_key", "api.api_second.create_key"],
    ]);
    const [needs] = emulator.neededPermissions({ anyApi: true });
    expect(needs?.permissions).toEqual(["api.*.create_key"]);
  });

  test("leave out unused rights of a listed token, and report them as unused", async () => {
    const has = [
      "api.*.create_key",
      "api.api_second.create_key",
      "api.*.read_key",
      "latchkey.watch",
    ];
    const emulator = await open(has);
    await post(emulator, "/v2/keys.createKey", { apiId: "api_first" }, { token });

    expect(emulator.neededPermissions()).toEqual([
      {
        token: "tokens[0]",
        permissions: ["api.api_first.create_key"],
        urns: ["unkey:v1:ws_local:projects/*/keyspaces/ks_first/keys/*#write"],
        unused: ["api.api_second.create_key", "api.*.read_key"],
        refused: [],
      },
    ]);
  });

  test("report a missing right with its calls, also behind a 404 and NOT_FOUND", async () => {
    const emulator = await open(["api.api_second.read_key"]);
    const verified = await call(emulator, [
      "/v2/keys.verifyKey",
      { key: "value_of_one_0123456789" },
    ]);
    const first = await call(emulator, ["/v2/keys.createKey", { apiId: "api_first" }]);
    await call(emulator, ["/v2/keys.createKey", { apiId: "api_first" }]);

    expect([verified.body.data.code, first.status]).toEqual(["NOT_FOUND", 404]);
    expect(emulator.neededPermissions()[0]).toEqual({
      token: "tokens[0]",
      permissions: [],
      urns: [],
      unused: ["api.api_second.read_key"],
      refused: [
        { operation: "keys.verifyKey", permission: "api.api_first.verify_key", calls: 1 },
        { operation: "keys.createKey", permission: "api.api_first.create_key", calls: 2 },
      ],
    });
  });

  test("leave out the other rights of a call that was refused because one was missing", async () => {
    const emulator = await open(["api.api_first.create_key"]);

    await call(emulator, ["/v2/keys.createKey", { apiId: "api_first", recoverable: true }]);

    expect(emulator.neededPermissions()[0]).toMatchObject({
      permissions: [],
      unused: [],
      refused: [{ permission: "api.api_first.encrypt_key", calls: 1 }],
    });
  });

  test("number the tokens that are not listed, in the order of their first calls", async () => {
    const emulator = await open();
    for (const sent of ["root_secret", "abcd"]) {
      await post(emulator, "/v2/apis.getApi", { apiId: "api_first" }, { token: sent });
    }

    expect(emulator.neededPermissions().map((needs) => needs.token)).toEqual([
      "unlisted[0]",
      "unlisted[1]",
    ]);
  });

  test("show no key value and no token that was sent as the id of an API", async () => {
    const emulator = await createEmulator(settings);
    const { body } = await post(emulator, "/v2/keys.createKey", { apiId: "api_local" }, { token });
    for (const apiId of [body.data.key, token]) {
      await post(emulator, "/v2/keys.createKey", { apiId }, { token });
      await post(emulator, "/v2/apis.getApi", { apiId }, { token });
    }

    const told = JSON.stringify(emulator.neededPermissions());

    expect(told).toContain(".create_key");
    expect(told).not.toContain(body.data.key);
    expect(told).not.toContain(token);
  });

  test("name the workspace of a token outside the first one", async () => {
    const emulator = await createEmulator({
      ...settings,
      fixtures: [
        {
          tokens: [{ token: "one", permissions: ["*"] }],
          workspaces: [
            {
              workspace: { id: "ws_two" },
              tokens: [{ token: "two", permissions: ["api.*.create_api"] }],
            },
          ],
        },
      ],
    });
    await post(emulator, "/v2/apis.createApi", { name: "new" }, { token: "two" });

    expect(emulator.neededPermissions().map((needs) => needs.token)).toEqual(["ws_two: tokens[0]"]);
  });

  test("do not count calls of the web page, and calls that demand nothing", async () => {
    const emulator = await open();
    await post(
      emulator,
      "/v2/apis.listKeys",
      { apiId: "api_first" },
      {
        token,
        headers: { "X-Latchkey-Unseen": "true" },
      },
    );
    await post(emulator, "/v1/keys.verifyKey", { key: "value_of_one_0123456789" }, { token });

    expect(emulator.neededPermissions()).toEqual([]);
  });

  test("count what a user's operation demands, refuses or answers otherwise", async () => {
    const report = defineOperation({
      contract: {
        name: "tests.report",
        method: "POST",
        path: "/v2/tests.report",
        input: z.strictObject({}),
        output: z.object({ data: z.object({ isFull: z.boolean() }) }),
      },
      requires: () => [{ oneOf: ["report.read"] }],
      run: ({ may, meets }) => ({
        data: { isFull: meets([{ oneOf: ["report.full", "report.admin"] }]) && may([]) },
      }),
    });
    const emulator = await createEmulator({
      ...settings,
      operations: [report],
      fixtures: [{ tokens: [{ token, permissions: ["report.read"] }] }],
    });
    const { body } = await post(emulator, "/v2/tests.report", {}, { token });

    expect(body.data).toEqual({ isFull: false });
    expect(emulator.neededPermissions()[0]).toMatchObject({
      permissions: [],
      unused: [],
      refused: [{ operation: "tests.report", permission: "report.full", calls: 1 }],
    });
  });

  test("are forgotten by a reset, except those of all calls since the start", async () => {
    const emulator = await open();
    await call(emulator, ["/v2/apis.getApi", { apiId: "api_first" }]);
    await emulator.reset();
    await call(emulator, ["/v2/apis.createApi", { name: "new" }]);

    const [since] = emulator.neededPermissions();
    const [all] = emulator.neededPermissions({ all: true });
    expect(since?.permissions).toEqual(["api.*.create_api"]);
    expect(all?.permissions).toEqual(["api.*.create_api", "api.api_first.read_api"]);
  });

  test("belong to the isolated workspace of the token", async () => {
    const emulator = await createEmulator({ ...settings, fixtures: [everything], isolate: true });
    for (const sent of ["test_one_token", "test_two_token"]) {
      await post(emulator, "/v2/apis.getApi", { apiId: "api_first" }, { token: sent });
    }

    const mine = emulator.workspace("test_one_token").neededPermissions();
    expect(mine.map(({ permissions }) => permissions)).toEqual([["api.api_first.read_api"]]);
    expect(emulator.neededPermissions()).toEqual([]);
    expect(emulator.neededPermissions({ all: true })).toHaveLength(2);
  });

  test("become rights on any API after a thousand single ones", async () => {
    const apis = Array.from({ length: 1_002 }, (_, index) => ({ id: `api_number_${index}` }));
    const emulator = await createEmulator({ ...settings, fixtures: [{ apis }] });
    for (const { id } of apis) await call(emulator, ["/v2/apis.getApi", { apiId: id }]);

    expect(emulator.neededPermissions()[0]?.permissions).toEqual(["api.*.read_api"]);
  });

  test.each([
    [{ anyAPI: true }, 'neededPermissions: anyAPI: unknown option, did you mean "anyApi"?'],
    [{ anyApi: "yes" }, "neededPermissions: anyApi: expected true or false, got"],
    [null, "neededPermissions: expected an object, got null"],
  ])("the options %j are refused", async (options, message) => {
    const emulator = await open();

    expect(() => emulator.neededPermissions(options as object)).toThrow(UsageError);
    expect(() => emulator.neededPermissions(options as object)).toThrow(message);
  });

  test("let any run of calls pass as before, and each of them is needed by one", async () => {
    const run = fc.array(fc.constantFrom(...calls), { minLength: 2, maxLength: 6 });
    const answersOf = async (emulator: Emulator, list: readonly (typeof calls)[number][]) => {
      const answers = [];
      for (const one of list) answers.push(seen(await call(emulator, one)));
      return answers;
    };

    await fc.assert(
      fc.asyncProperty(run, fc.nat(), async (list, pick) => {
        const free = await open();
        const expected = await answersOf(free, list);
        const [{ permissions = [], urns = [] } = {}] = free.neededPermissions();
        expect(await answersOf(await open(permissions), list)).toEqual(expected);
        expect(await answersOf(await open(urns), list)).toEqual(expected);
        // Not by the answers: a missing permission may look like a record that was not found.
        const [missing] = permissions.slice(pick % permissions.length);
        const fewer = await open(permissions.filter((name) => name !== missing));
        await answersOf(fewer, list);
        expect(fewer.neededPermissions()[0]?.refused).toContainEqual(
          expect.objectContaining({ permission: missing }),
        );
      }),
      { numRuns: 30 },
    );
  });
});

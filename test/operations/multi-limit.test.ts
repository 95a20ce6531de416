import { describe, expect, test } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { givenEmulator, NOW, post } from "../_emulator.ts";
import { acceptingAll, expectRefusal } from "../_v2.ts";
import { MINUTE, ratelimit, use, worlds } from "./_limits.ts";

type Item = Partial<typeof use> & { readonly cost?: number };

/** Sends `use` with other members for each item. */
const multiLimit = (emulator: Emulator, items: readonly Item[], token = "root") =>
  ratelimit(
    emulator,
    "multiLimit",
    items.map((item) => ({ ...use, ...item })),
    { token },
  );

const passedOf = (body: { data: { limits: { passed: boolean }[] } }) =>
  body.data.limits.map(({ passed }) => passed);
const remainingOf = (body: { data: { limits: { remaining: number }[] } }) =>
  body.data.limits.map(({ remaining }) => remaining);

/** Three namespaces, of which the second allows one use. */
const three = [
  { namespace: "email", limit: 100 },
  { namespace: "sms", limit: 1 },
  { namespace: "push", limit: 300 },
];

describe("ratelimit.multiLimit", () => {
  test.each<[title: string, batches: readonly (readonly Item[])[], passed: unknown, left: unknown]>(
    [
      [
        "three new namespaces",
        [["a", "b", "c"].map((namespace, index) => ({ namespace, limit: 100 * (index + 1) }))],
        [true, true, true],
        [99, 199, 299],
      ],
      [
        "different costs",
        [
          [
            { namespace: "email", limit: 100, cost: 1 },
            { namespace: "sms", limit: 50, cost: 3 },
            { namespace: "push", limit: 200, cost: 10 },
          ],
        ],
        [true, true, true],
        [99, 47, 190],
      ],
      [
        "a batch of which one item is over its limit",
        [three, three],
        [true, false, true],
        [99, 0, 299],
      ],
      [
        "the first item after a batch that counted nothing",
        [three, three, [{ namespace: "email", limit: 100 }]],
        [true],
        [98],
      ],
      ["the same item twice", [[{}, {}]], [true, true], [9, 8]],
      [
        "a namespace by its name and by its id",
        [[{}, { namespace: "rlns_email" }]],
        [true, true],
        [9, 8],
      ],
      [
        "the same item three times, once too often",
        [[{ limit: 2 }, { limit: 2 }, { limit: 2 }]],
        [true, true, false],
        [2, 1, 0],
      ],
      [
        "a use after that",
        [[{ limit: 2 }, { limit: 2 }, { limit: 2 }], [{ limit: 2 }]],
        [true],
        [1],
      ],
      ["a cost of 0", [[{ cost: 0 }]], [true], [10]],
      ["an override with a limit of 0", [[{ identifier: "banned" }, {}]], [false, true], [0, 10]],
      [
        "a new namespace twice",
        [[{ namespace: "new" }, { namespace: "new" }]],
        [true, true],
        [9, 8],
      ],
    ],
  )("answers %s", async (_, batches, passed, remaining) => {
    const emulator = await givenEmulator({ fixtures: worlds });
    for (const batch of batches.slice(0, -1)) await multiLimit(emulator, batch);

    const { body, status } = await multiLimit(emulator, batches.at(-1) ?? []);

    expect(status).toBe(200);
    expect(passedOf(body)).toEqual(passed);
    expect(remainingOf(body)).toEqual(remaining);
    expect(body.data.passed).toBe(passedOf(body).every(Boolean));
  });

  test("answers each item in the order of the request, with its override", async () => {
    const emulator = await givenEmulator({ fixtures: worlds });

    const { body } = await multiLimit(emulator, [
      { namespace: "rlns_email", identifier: "vip" },
      { namespace: "sms" },
    ]);

    expect(JSON.stringify(body.data)).toBe(
      JSON.stringify({
        limits: [
          {
            identifier: "vip",
            limit: 200,
            namespace: "rlns_email",
            overrideId: "rlor_vip",
            passed: true,
            remaining: 199,
            reset: NOW + 2 * MINUTE,
          },
          {
            identifier: "user_1",
            limit: 10,
            namespace: "sms",
            passed: true,
            remaining: 9,
            reset: NOW + MINUTE,
          },
        ],
        passed: true,
      }),
    );
  });

  test("takes the rights for each namespace", async () => {
    const emulator = await givenEmulator({ fixtures: worlds });
    const items = [{ namespace: "email" }, { namespace: "sms" }];

    expect((await multiLimit(emulator, items, "both")).status).toBe(200);
  });

  const forbidden = { status: 403, type: "unkey/authorization/insufficient_permissions" } as const;
  const missing = "Missing one of these permissions: ratelimit.*.limit or";

  test.each<[title: string, items: readonly Item[], token: string, detail: string]>([
    [
      "a right for one of two namespaces",
      [{ namespace: "email" }, { namespace: "sms" }],
      "email",
      `${missing} ratelimit.rlns_email.limit and ratelimit.rlns_sms.limit`,
    ],
    [
      "a namespace that is named twice",
      [{ namespace: "sms" }, { namespace: "sms" }],
      "email",
      `${missing} ratelimit.rlns_sms.limit and ratelimit.rlns_sms.limit`,
    ],
    [
      "an unknown namespace that the token may not make",
      [{}, { namespace: "new" }],
      "limit",
      "Missing permission: 'ratelimit.*.create_namespace'",
    ],
    [
      "a namespace of another workspace, without rights",
      [{ namespace: "rlns_other" }],
      "none",
      "Missing permission: 'ratelimit.*.create_namespace'",
    ],
    [
      "a deleted namespace, without rights",
      [{ namespace: "gone" }],
      "none",
      `${missing} ratelimit.rlns_gone.limit`,
    ],
  ])("refuses %s", async (_, items, token, detail) => {
    const emulator = await givenEmulator({ fixtures: worlds });
    const before = emulator.snapshot();

    expectRefusal(await multiLimit(emulator, items, token), { ...forbidden, detail });

    const { ratelimitNamespaces, snapshot } = emulator.snapshot();
    expect(ratelimitNamespaces).toEqual(before.ratelimitNamespaces);
    expect(snapshot?.counters).toBeUndefined();
  });

  test("refuses all items if one namespace was deleted, and keeps the ones that it made", async () => {
    const emulator = await givenEmulator({ fixtures: worlds });

    const answer = await multiLimit(emulator, [{}, { namespace: "gone" }, { namespace: "new" }]);

    expectRefusal(answer, {
      status: 410,
      type: "unkey/data/ratelimit_namespace_gone",
      detail: "This namespace has been deleted. Contact support to restore.",
    });
    expect(emulator.ratelimitNamespaces.named("new")).toBeDefined();
    expect(emulator.snapshot().snapshot?.counters).toBeUndefined();
  });

  test("takes 100 items", async () => {
    const emulator = await givenEmulator({ fixtures: worlds });
    const items = Array.from({ length: 100 }, () => ({ limit: 100 }));

    const { body } = await multiLimit(emulator, items);

    expect(remainingOf(body)).toEqual(items.map((__, index) => 99 - index));
  });
});

describe("an input that is a list", () => {
  test("meets the `match` of a fault if one of its items does", async () => {
    const emulator = await givenEmulator({ fixtures: worlds });
    const operation = "ratelimit.multiLimit";
    const fault = emulator.faults.add({ operation, match: { namespace: "sms" }, status: 503 });

    expect((await multiLimit(emulator, [{ namespace: "email" }])).status).toBe(200);
    expect(fault.hits).toBe(0);
    expect((await multiLimit(emulator, [{}, { namespace: "sms" }])).status).toBe(503);
    expect(fault.hits).toBe(1);
  });

  test("is the argument of a `match` that is a function", async () => {
    const emulator = await givenEmulator({ fixtures: worlds });
    emulator.faults.add({ match: (input) => Array.isArray(input), status: 503 });

    expect((await multiLimit(emulator, [{}])).status).toBe(503);
    expect((await ratelimit(emulator, "limit", use, { token: "root" })).status).toBe(200);
  });

  test("is checked by its items where a fault is added", async () => {
    const emulator = await givenEmulator({ fixtures: worlds });
    const add = (match: object) =>
      emulator.faults.add({ operation: "ratelimit.multiLimit", match: { ...match }, status: 503 });

    expect(() => add({ nmespace: "sms" })).toThrow("match.nmespace: ");
    expect(() => add({ cost: "1" })).toThrow("match.cost: expected a number");
  });

  test("is in the journal as it was sent, with tokens masked, and found by one of its items", async () => {
    const token = "a_token_that_is_secret";
    const emulator = await givenEmulator();
    await multiLimit(emulator, [{ identifier: token }, { namespace: "sms" }], token);
    await multiLimit(emulator, [{}]);

    const filter = { operation: "ratelimit.multiLimit" };
    const found = emulator.requests.list({ ...filter, match: { namespace: "sms" } });

    expect(found.map(({ input }) => input)).toEqual([
      [
        { ...use, identifier: "***" },
        { ...use, namespace: "sms" },
      ],
    ]);
    expect(emulator.requests.count(filter)).toBe(2);
  });

  test("is described in the OpenAPI document", async () => {
    const emulator = await givenEmulator();

    // oxlint-disable-next-line typescript/no-explicit-any
    const { paths } = (await emulator.openapi("v2")) as any;

    const { schema } =
      paths["/v2/ratelimit.multiLimit"].post.requestBody.content["application/json"];
    const item = { $ref: "#/components/schemas/RatelimitLimitBody" };
    expect(schema).toMatchObject({ type: "array", items: item, minItems: 1, maxItems: 100 });
    const { schema: body } =
      paths["/v2/ratelimit.limit"].post.requestBody.content["application/json"];
    expect(body).toEqual(item);
  });

  test("may have a body that is empty, no JSON, or of another type, like any other", async () => {
    const emulator = await givenEmulator({ fixtures: worlds });
    const call = (body: string) =>
      post(emulator, "/v2/ratelimit.multiLimit", body, acceptingAll({ token: "root" }));

    for (const body of ["", "[", "[{}", "7", '"x"', "[7]"]) {
      expect((await call(body)).status).toBe(400);
    }
  });
});

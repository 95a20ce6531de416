import { describe, expect, test } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { givenEmulator, NOW } from "../_emulator.ts";
import { expectRefusal } from "../_v2.ts";
import { insufficient } from "./_refusals.ts";
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

/** Three namespaces. The second allows one use. */
const three = [
  { namespace: "email", limit: 100 },
  { namespace: "sms", limit: 1 },
  { namespace: "push", limit: 300 },
];

describe("ratelimit.multiLimit", () => {
  // For each item of the last batch, the uses that are left; a `!` follows if the item was refused.
  test.each<[title: string, batches: readonly (readonly Item[])[], left: string]>([
    ["three new namespaces", [["a", "b", "c"].map((namespace) => ({ namespace }))], "9 9 9"],
    ["different costs", [[{ cost: 1 }, { namespace: "sms", cost: 3 }]], "9 7"],
    ["a batch of which one item is over its limit", [three, three], "99 0! 299"],
    ["the first item after a batch that counted nothing", [three, three, three.slice(0, 1)], "98"],
    ["the same item twice", [[{}, {}]], "9 8"],
    ["a namespace by its name and by its id", [[{}, { namespace: "rlns_email" }]], "9 8"],
    ["the same item once too often", [[{ limit: 2 }, { limit: 2 }, { limit: 2 }]], "2 1 0!"],
    ["an item after the same one that is over its limit", [[{ cost: 11 }, {}]], "0! 0!"],
    ["a higher limit of a counter that an item overfills", [[{ cost: 11 }, { limit: 20 }]], "0! 9"],
    [
      "other counters beside an item that is over its limit",
      [[{ cost: 11 }, { namespace: "sms" }]],
      "0! 10",
    ],
    ["the first item after a pair that counted nothing", [[{ cost: 11 }, {}], [{}]], "9"],
    ["a cost of 0", [[{ cost: 0 }]], "10"],
    ["an override with a limit of 0", [[{ identifier: "banned" }, {}]], "0! 10"],
    ["a new namespace twice", [[{ namespace: "new" }, { namespace: "new" }]], "9 8"],
  ])("answers %s", async (_, batches, left) => {
    const emulator = await givenEmulator({ fixtures: worlds });
    for (const batch of batches.slice(0, -1)) await multiLimit(emulator, batch);

    const { body, status } = await multiLimit(emulator, batches.at(-1) ?? []);

    expect(status).toBe(200);
    const passed = passedOf(body);
    const shown = remainingOf(body).map((count, index) => `${count}${passed[index] ? "" : "!"}`);
    expect(shown.join(" ")).toBe(left);
    expect(body.data.passed).toBe(!left.includes("!"));
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

  test("needs the rights for each namespace", async () => {
    const emulator = await givenEmulator({ fixtures: worlds });
    const items = [{ namespace: "email" }, { namespace: "sms" }];

    expect((await multiLimit(emulator, items, "both")).status).toBe(200);
  });

  const urn = (id: string) => `unkey:v1:ws_test:projects/*/ratelimits/namespaces/${id}`;
  const noCreate = `${urn("*")}#write or ratelimit.*.create_namespace`;
  const first = (id: string) => `${urn(id)}#limit or ratelimit.*.limit or ratelimit.${id}.limit`;

  test.each<[title: string, items: readonly Item[], token: string, demanded: string]>([
    [
      "a right for one of two namespaces",
      [{ namespace: "email" }, { namespace: "sms" }],
      "email",
      `${first("rlns_email")} and ${urn("rlns_sms")}#limit or ratelimit.rlns_sms.limit`,
    ],
    [
      "a namespace that is named twice",
      [{ namespace: "sms" }, { namespace: "sms" }],
      "email",
      `${first("rlns_sms")} and ratelimit.rlns_sms.limit`,
    ],
    [
      "an unknown namespace that the token may not make",
      [{}, { namespace: "new" }],
      "limit",
      noCreate,
    ],
    [
      "a namespace of another workspace, without rights",
      [{ namespace: "rlns_other" }],
      "none",
      noCreate,
    ],
    ["a deleted namespace, without rights", [{ namespace: "gone" }], "none", first("rlns_gone")],
  ])("refuses %s", async (_, items, token, demanded) => {
    const emulator = await givenEmulator({ fixtures: worlds });
    const before = emulator.snapshot();

    expectRefusal(await multiLimit(emulator, items, token), insufficient(demanded));

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
});

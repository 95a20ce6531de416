import { describe, expect, test } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { givenEmulator, NOW, post, type Answer } from "../_emulator.ts";
import { expectRefusal } from "../_v2.ts";
import { insufficient } from "./_refusals.ts";
import { DAY, limitV1, MINUTE, ratelimit, result, SECOND, use, worlds } from "./_limits.ts";

/** A call: members that differ from `use`, and how long after the start it is sent. */
interface Sent {
  readonly at?: number;
  readonly token?: string;
  readonly [member: string]: unknown;
}

/** Sends calls one after the other, and returns the last answer. */
async function answerTo(emulator: Emulator, send: typeof limitV1, calls: readonly Sent[]) {
  let answer: Answer | undefined;
  for (const { at = 0, token = "root", ...members } of calls) {
    emulator.clock.set(NOW + at);
    answer = await send(emulator, { ...use, ...members }, { token });
  }
  return answer as Answer;
}

const v2: typeof limitV1 = (door, body, options) => ratelimit(door, "limit", body, options);
const times = (count: number, sent: Sent = {}) => Array.from({ length: count }, () => sent);

describe("ratelimit.limit of v2", () => {
  test.each<[title: string, calls: readonly Sent[], result: object]>([
    ["a first use", [{ limit: 100 }], { limit: 100, remaining: 99 }],
    ["a cost of 5", [{ limit: 100, cost: 5 }], { limit: 100, remaining: 95 }],
    ["the last use", [{ limit: 1 }], { limit: 1, remaining: 0 }],
    ["a use too many", times(2, { limit: 1 }), { limit: 1, remaining: 0, success: false }],
    ["a cost of 0 at exactly the limit", [{ cost: 10 }, { cost: 0 }], { remaining: 0 }],
    ["a cost of 1 at exactly the limit", [{ cost: 10 }, {}], { remaining: 0, success: false }],
    [
      "a use after a refusal, which counts nothing",
      [{ cost: 9 }, { cost: 2 }, {}],
      { remaining: 0 },
    ],
    ["a cost over the limit", [{ cost: 100 }], { remaining: 0, success: false }],
    ["a use after a cost over the limit", [{ cost: 100 }, {}], { remaining: 9 }],
    [
      "a use with half of the window before, over the limit",
      [{ cost: 10 }, { at: 90 * SECOND, cost: 5 }, { at: 90 * SECOND }],
      { remaining: 0, reset: NOW + 2 * MINUTE, success: false },
    ],
    [
      "a use in the millisecond of `reset`",
      [{ cost: 10 }, { at: MINUTE }],
      { remaining: 0, reset: NOW + 2 * MINUTE, success: false },
    ],
    [
      "a cost of 0 while the window before weighs too much",
      [{ cost: 10 }, { at: MINUTE, limit: 9, cost: 0 }],
      { limit: 9, remaining: 0, reset: NOW + 2 * MINUTE, success: false },
    ],
    ["another limit, on the same counter", [...times(3), { limit: 5 }], { limit: 5, remaining: 1 }],
    [
      "another duration, on another counter",
      [...times(3), { duration: 2 * MINUTE }],
      { remaining: 9, reset: NOW + 2 * MINUTE },
    ],
    ["another identifier", [...times(3), { identifier: "User_1" }], { remaining: 9 }],
    ["another namespace", [...times(3), { namespace: "sms" }], { remaining: 9 }],
    ["the same namespace by its id", [...times(3), { namespace: "rlns_email" }], { remaining: 6 }],
    ["a new namespace", [{ namespace: "new", token: "maker" }], {}],
    ["a new namespace whose name looks like an id", [{ namespace: "rlns_new" }], {}],
    [
      "a namespace of another workspace, which is a new one here",
      [{ namespace: "other", identifier: "vip" }],
      {},
    ],
    [
      "an exact override, which raises the limit",
      [{ identifier: "vip" }],
      { limit: 200, overrideId: "rlor_vip", remaining: 199, reset: NOW + 2 * MINUTE },
    ],
    [
      "an override with a `*`",
      [{ identifier: "trial_7" }],
      { limit: 3, overrideId: "rlor_trial", remaining: 2 },
    ],
    [
      "an override that is used up",
      times(4, { identifier: "trial_7" }),
      { limit: 3, overrideId: "rlor_trial", remaining: 0, success: false },
    ],
    [
      "an override with a limit of 0",
      [{ identifier: "banned" }],
      { limit: 0, overrideId: "rlor_banned", remaining: 0, success: false },
    ],
    [
      "a cost of 0 under an override with a limit of 0",
      [{ identifier: "banned", cost: 0 }],
      { limit: 0, overrideId: "rlor_banned", remaining: 0, success: false },
    ],
    ["the longest duration", [{ duration: 30 * DAY }], { reset: expect.any(Number) }],
    ["an identifier of any characters", [{ identifier: "\n é😀*" }], {}],
  ])("answers %s", async (_, calls, members) => {
    const emulator = await givenEmulator({ fixtures: worlds });

    const { body, status } = await answerTo(emulator, v2, calls);

    expect(status).toBe(200);
    expect(body.data).toEqual(result(members));
    expect(Object.keys(body)).toEqual(["data", "meta"]);
  });

  test("sends the members in the order of the service", async () => {
    const emulator = await givenEmulator({ fixtures: worlds });

    const { body } = await answerTo(emulator, v2, [{ identifier: "vip" }]);

    const names = ["limit", "overrideId", "remaining", "reset", "success"];
    expect(Object.keys(body.data)).toEqual(names);
  });

  const gone = {
    status: 410,
    type: "unkey/data/ratelimit_namespace_gone",
    detail: "This namespace has been deleted. Contact support to restore.",
  } as const;
  const urn = (id: string) => `unkey:v1:ws_test:projects/*/ratelimits/namespaces/${id}`;
  const noCreate = insufficient(`${urn("*")}#write or ratelimit.*.create_namespace`);
  const missing = (id: string) =>
    insufficient(`${urn(id)}#limit or ratelimit.${id}.limit or ratelimit.*.limit`);

  test.each<[title: string, call: Sent, refusal: Parameters<typeof expectRefusal>[1]]>([
    [
      "an unknown namespace that the token may not make",
      { namespace: "new", token: "limit" },
      noCreate,
    ],
    ["a namespace of another workspace", { namespace: "rlns_other", token: "limit" }, noCreate],
    ["another case of its name", { namespace: "Email", token: "limit" }, noCreate],
    ["a deleted namespace, without any right", { namespace: "gone", token: "none" }, gone],
    ["a deleted namespace by its id, with every right", { namespace: "rlns_gone" }, gone],
    ["a right that names the namespace by its name", { token: "by_name" }, missing("rlns_email")],
  ])("refuses %s", async (_, call, refusal) => {
    const emulator = await givenEmulator({ fixtures: worlds });
    const before = emulator.snapshot();

    expectRefusal(await answerTo(emulator, v2, [call]), refusal);

    const { ratelimitNamespaces, snapshot } = emulator.snapshot();
    expect(ratelimitNamespaces).toEqual(before.ratelimitNamespaces);
    expect(snapshot?.counters).toBeUndefined();
  });

  test("leaves a new namespace behind if the token may create it but not use it", async () => {
    const emulator = await givenEmulator({ fixtures: worlds });

    const call = { namespace: "new", token: "create_namespace" };
    const answer = await answerTo(emulator, v2, [call]);

    const made = emulator.ratelimitNamespaces.named("new");
    expect(made?.id).toMatch(/^rlns_/);
    expectRefusal(answer, missing(String(made?.id)));
  });
});

describe("ratelimits.limit of v1", () => {
  test.each<[title: string, calls: readonly Sent[], result: object]>([
    ["a cost of 0", [{ cost: 0 }], { remaining: 10 }],
    ["a first use", [{}], {}],
    ["a call without a namespace", [{ namespace: undefined }], {}],
    ["an empty identifier and an empty namespace", [{ namespace: "", identifier: "" }], {}],
    [
      "a cost over what is left, which stays",
      [{ cost: 8 }, { cost: 5 }],
      { remaining: 2, success: false },
    ],
    [
      "a cost of 0 when nothing is left",
      [{ cost: 10 }, { cost: 0 }],
      { remaining: 0, success: false },
    ],
    [
      "another limit, which counts apart",
      [...times(3), { limit: 11 }],
      { limit: 11, remaining: 10 },
    ],
    ["`async`, which counts apart", [...times(3), { async: true }], { remaining: 9 }],
    [
      "another duration, which counts apart",
      [...times(3), { duration: 2 * MINUTE }],
      { remaining: 9, reset: NOW + 2 * MINUTE },
    ],
    [
      "a use in the millisecond of `reset`, in a new window",
      [{ cost: 10 }, { at: MINUTE }],
      { remaining: 9, reset: NOW + 2 * MINUTE },
    ],
    ["the id of a namespace, which is a new name", [...times(3), { namespace: "rlns_email" }], {}],
    [
      "an exact override beside one with a `*`",
      [{ identifier: "vip" }],
      { limit: 200, remaining: 199, reset: NOW + 2 * MINUTE },
    ],
    ["an override with a `*`", times(2, { identifier: "trial_7" }), { limit: 3, remaining: 1 }],
    [
      "an override with a limit of 0",
      [{ identifier: "banned", cost: 0 }],
      { limit: 0, remaining: 0, success: false },
    ],
    ["a deleted namespace, without its overrides", [{ namespace: "gone", identifier: "vip" }], {}],
    [
      "members that it ignores",
      [{ meta: { a: 1, b: null, c: "x", d: true }, resources: [{ type: "a", id: "b", meta: {} }] }],
      {},
    ],
    ["a duration over 30 days", [{ duration: 400 * DAY }], { reset: expect.any(Number) }],
  ])("answers %s", async (_, calls, members) => {
    const emulator = await givenEmulator({ fixtures: worlds });

    const { body, status } = await answerTo(emulator, limitV1, calls);

    expect(status).toBe(200);
    expect(body).toEqual(result(members));
    expect(Object.keys(body)).toEqual(["limit", "remaining", "reset", "success"]);
  });

  test("creates the namespace `default` for calls without one", async () => {
    const emulator = await givenEmulator({ fixtures: worlds });
    await answerTo(emulator, limitV1, [{ namespace: undefined }]);

    expect(emulator.ratelimitNamespaces.named("default")).toBeDefined();
  });

  test("counts separately from v2", async () => {
    const emulator = await givenEmulator({ fixtures: worlds });
    await answerTo(emulator, limitV1, times(3));

    expect((await answerTo(emulator, v2, [{}])).body.data.remaining).toBe(9);
  });

  test("refuses data that is nested", async () => {
    const emulator = await givenEmulator({ fixtures: worlds });
    const before = JSON.stringify(emulator.snapshot().ratelimitNamespaces);

    const { body, status } = await answerTo(emulator, limitV1, [{ meta: { a: {} } }]);

    const message = "meta.a: expected a string, a number, true, false or null, got an object";
    expect([status, body.error.code, body.error.message]).toEqual([400, "BAD_REQUEST", message]);
    expect(JSON.stringify(emulator.snapshot().ratelimitNamespaces)).toBe(before);
  });
});

test("the OpenAPI document describes `identifier` by its operation, also after calls of others", async () => {
  const emulator = await givenEmulator();
  await post(emulator, "/v2/ratelimit.limit", use);
  for (const operation of ["getOverride", "setOverride", "deleteOverride"]) {
    await post(emulator, `/v2/ratelimit.${operation}`, { namespace: "email", identifier: "*" });
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  const { components } = (await emulator.openapi("v2")) as any;

  expect(components.schemas.RatelimitLimitBody.properties.identifier.description).toBe(
    "Whose uses are counted, like the id of a user.",
  );
});

import { expect } from "vitest";
import type { Emulator, EmulatorOptions, Fixture } from "../../src/index.ts";
import { givenEmulator, post, type Answer, type CallOptions, type Door } from "../_emulator.ts";
import { acceptingAll } from "../_v2.ts";

/** The value of the key of `worldWith`. */
export const VALUE = "pay_the_value_of_the_first_key";
/** The body of a verification of that key. */
export const key = { key: VALUE };

// oxlint-disable-next-line typescript/no-explicit-any
type Anything = any;

/** Two APIs, and a key of the first one with these members. */
export function worldWith(members: object = {}, more: Fixture = {}): Fixture {
  return {
    workspace: { id: "ws_test" },
    apis: [
      { id: "api_first", keyspaceId: "ks_first" },
      { id: "api_second", keyspaceId: "ks_second" },
    ],
    keys: [{ id: "key_1", apiId: "api_first", key: VALUE, createdAt: 1, ...members }],
    ...more,
  };
}

/** An emulator with the world of `worldWith`. */
export function givenKey(
  members: object = {},
  more: Fixture = {},
  options: EmulatorOptions = {},
): Promise<Emulator> {
  return givenEmulator({ fixtures: [worldWith(members, more)], ...options });
}

/** POST keys.verifyKey of v1, without a token. */
export function verifyV1(
  door: Door,
  body: unknown = key,
  options: CallOptions = {},
): Promise<Answer> {
  return post(door, "/v1/keys.verifyKey", body, { token: null, ...options });
}

/** POST keys.verifyKey of v2, with a token. */
export function verifyV2(door: Door, body: unknown = key, options?: CallOptions): Promise<Answer> {
  return post(door, "/v2/keys.verifyKey", body, acceptingAll(options));
}

/** Verifies in both versions alike, and returns the members that both have. */
export const verifying = {
  v1: {
    verify: verifyV1,
    resultOf: ({ body }: Answer): Anything => body,
    leftOf: ({ body }: Answer): Anything => body.remaining,
    spending: (cost: number) => ({ remaining: { cost } }),
    needing: (name: string) => ({ authorization: { permissions: name } }),
  },
  v2: {
    verify: verifyV2,
    resultOf: ({ body }: Answer): Anything => body.data,
    leftOf: ({ body }: Answer): Anything => body.data.credits,
    spending: (cost: number) => ({ credits: { cost } }),
    needing: (name: string) => ({ permissions: name }),
  },
};

/** The outcome of one more verification through v2. */
export async function verified(door: Door, more: object = {}, options?: CallOptions) {
  const { body } = await verifyV2(door, { ...key, ...more }, options);
  return body.data as Anything;
}

/** The outcomes of several verifications, one after the other, through v2. */
export async function codes(door: Door, count: number, more: object = {}): Promise<string[]> {
  const found: string[] = [];
  for (let call = 0; call < count; call += 1) found.push((await verified(door, more)).code);
  return found;
}

/** The members of an outcome in v1, in the order of the wire. */
const ORDER = [
  ..."keyId valid name ownerId meta expires remaining ratelimit enabled".split(" "),
  ..."permissions roles environment code identity requestId".split(" "),
];

/** Expects 200 and exactly these members, in the order of the wire. */
export function expectV1({ body, headers, status }: Answer, members: object): void {
  const requestId = headers.get("unkey-request-id");
  const all = new Map(Object.entries({ ...members, requestId }));
  const expected = Object.fromEntries(
    ORDER.filter((name) => all.has(name)).map((name) => [name, all.get(name)]),
  );
  expect(body).toEqual({ ...members, requestId });
  expect(JSON.stringify(body)).toBe(JSON.stringify(expected));
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("application/json; charset=UTF-8");
}

/**
 * Expects 200 and exactly these members of `data`, in alphabetical order. The ids of rate limits are
 * generated, so they are `rl_` here.
 */
export function expectV2({ body, headers, status }: Answer, members: object): void {
  const { meta } = body;
  const text = JSON.stringify(body).replaceAll(/"rl_[1-9A-HJ-NP-Za-km-z]{16}"/g, '"rl_"');
  expect(JSON.parse(text)).toEqual({ data: members, meta });
  expect(text).toBe(JSON.stringify({ data: sorted(members), meta }));
  expect(status).toBe(200);
  expect(Object.keys(meta)).toEqual(["requestId"]);
  expect(headers.get("content-type")).toBe("application/json");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

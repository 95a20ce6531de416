import { expect } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import {
  givenEmulator,
  listKeys,
  NOW,
  post,
  REQUEST_ID,
  send,
  type Answer,
  type CallOptions,
  type Door,
} from "../_emulator.ts";
import { acceptingAll, expectRefusal, listKeysV2, type Refusal } from "../_v2.ts";

// Keys of every kind, and calls of the operations on them in both versions.

export type Version = "v1" | "v2";
export const versions: readonly Version[] = ["v1", "v2"];

export const VALUE = "full_value_of_this_key";

const limits = [
  { name: "default", limit: 3, duration: 4_000, autoApply: true },
  { name: "calls", limit: 10, duration: 60_000, autoApply: false },
];

/**
 * Every token may do everything, except for `limited`, which has only these permissions. Only one key
 * has a value that is known.
 */
const keysWorld = (permissions: string[] = []): Fixture => ({
  workspace: { id: "ws_test" },
  tokens: [
    { token: "any_token", permissions: ["*"] },
    { token: "limited", permissions },
  ],
  apis: [{ id: "api_one", storeEncryptedKeys: true }, { id: "api_two" }, { id: "api_gone" }],
  roles: [{ name: "admin", permissions: ["read", "write"] }, { name: "guest" }],
  permissions: ["free"],
  identities: [
    {
      id: "id_ann",
      externalId: "ann",
      meta: { plan: "pro" },
      ratelimits: [{ name: "whole", limit: 100, duration: 5_000, autoApply: false }],
    },
    { id: "id_bob", externalId: "bob" },
  ],
  keys: [
    { id: "key_plain", apiId: "api_one", start: "plain", createdAt: 5 },
    {
      id: "key_full",
      apiId: "api_one",
      key: VALUE,
      start: "full_val",
      recoverable: true,
      name: "Full",
      externalId: "ann",
      meta: { a: "<&>", b: [null] },
      createdAt: 5,
      updatedAt: 6,
      lastUsedAt: 7,
      expires: NOW + 1_000,
      remaining: 50,
      refill: { interval: "monthly", amount: 100, refillDay: 9, lastRefillAt: 8 },
      ratelimits: limits,
      roles: ["admin", "guest"],
      permissions: ["own", "read"],
      environment: "live",
    },
    {
      id: "key_daily",
      start: "daily",
      apiId: "api_one",
      remaining: 50,
      refill: { interval: "daily", amount: 100 },
    },
    { id: "key_role", start: "role", apiId: "api_one", roles: ["admin"] },
    { id: "key_two", start: "two", apiId: "api_two", remaining: 3 },
    { id: "key_disabled", start: "disabled", apiId: "api_two", remaining: 3, enabled: false },
    { id: "key_expired", start: "expired", apiId: "api_two", remaining: 3, expires: NOW - 1 },
    { id: "key_last", start: "last", apiId: "api_gone", remaining: 3 },
    { id: "key_twice", start: "twice", apiId: "api_one", remaining: 3 },
  ],
});

/** A second workspace. One of its keys has the id of a key of the first. */
const otherWorld: Fixture = {
  workspace: { id: "ws_other" },
  tokens: [{ token: "other_token", permissions: ["*"] }],
  apis: [{ id: "api_other" }],
  keys: [
    { id: "key_other", start: "other", apiId: "api_other", remaining: 3 },
    { id: "key_twice", start: "twice", apiId: "api_other", remaining: 3 },
  ],
};

export function givenKeys(permissions?: string[]): Promise<Emulator> {
  return givenEmulator({ fixtures: [keysWorld(permissions), otherWorld] });
}

/** Calls an operation on keys. A string is a query or a body as it is sent. */
export function call(
  door: Door,
  version: Version,
  operation: string,
  input: string | object,
  options: CallOptions = {},
): Promise<Answer> {
  const path = `/${version}/keys.${operation}`;
  if (version === "v2" || operation !== "getKey") {
    return post(door, path, input, version === "v2" ? acceptingAll(options) : options);
  }
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const query = typeof input === "string" ? input : String(new URLSearchParams(given));
  const { token = "any_token", headers } = options;
  const request = new Request(`http://emulator.test${path}?${query}`, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
  });
  return send(door, request);
}

/** The answer of a version, without the envelope of v2. */
export const resultOf = (version: Version, { body }: Answer): Answer["body"] =>
  version === "v1" ? body : body.data;

/** The answer of `apis.listKeys`, whose members are a query of v1, or a body of v2. */
export const list = (
  door: Door,
  version: Version,
  input: Record<string, string | number | boolean>,
  options?: CallOptions,
): Promise<Answer> =>
  version === "v1" ? listKeys(door, input, options) : listKeysV2(door, input, options);

/** The records of a page of `apis.listKeys`. */
export async function listed(
  door: Door,
  version: Version,
  input: Record<string, string | number | boolean>,
): Promise<Answer["body"][]> {
  const { body } = await list(door, version, input);
  return version === "v1" ? body.keys : body.data;
}

/** The record of a key as a version shows it. */
export async function shown(door: Door, version: Version, keyId: string, options?: CallOptions) {
  const { body, status } = await call(door, version, "getKey", { keyId }, options);
  expect(status).toBe(200);
  return version === "v1" ? body : body.data;
}

/** Expects a 200 with exactly this result, with its members in this order. */
export function expectResult(answer: Answer, version: Version, result: object): void {
  const { body, headers, status } = answer;
  const whole = version === "v1" ? result : { data: result, meta: body.meta };
  expect(body).toEqual(whole);
  expect(JSON.stringify(body)).toBe(JSON.stringify(whole));
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe(contentTypes[version]);
  const requestId = version === "v1" ? headers.get("unkey-request-id") : body.meta.requestId;
  expect(requestId).toMatch(REQUEST_ID);
}

const contentTypes = { v1: "application/json; charset=UTF-8", v2: "application/json" };

export interface RefusalOfV1 {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Expects exactly this refusal: status, and every member of the body in the order of the wire. */
export function expectRefusalOfV1(answer: Answer, { code, message, status }: RefusalOfV1): void {
  const requestId = answer.headers.get("unkey-request-id");
  const docs = `https://unkey.dev/docs/api-reference/errors/code/${code}`;
  const whole = { error: { code, docs, message, requestId } };
  expect(answer.body).toEqual(whole);
  expect(JSON.stringify(answer.body)).toBe(JSON.stringify(whole));
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toBe(contentTypes.v1);
  expect(requestId).toMatch(REQUEST_ID);
}

/** A refusal of v1 with 400. */
export const badRequest = (message: string): RefusalOfV1 => ({
  status: 400,
  code: "BAD_REQUEST",
  message,
});

/** A refusal of v2 with 400 that is not by the schema. */
export const invalidInput = (detail: string): Refusal => ({
  status: 400,
  type: "unkey/application/invalid_input",
  detail,
});

/** Expects the refusal of a key that cannot be found: in v2, in these words. */
export function expectNoKey(
  answer: Answer,
  version: Version,
  keyId: string,
  detail = "We could not find the requested key.",
): void {
  const isShown = keyId.length <= 60 && JSON.stringify(keyId) === `"${keyId}"`;
  const name = isShown ? `"${keyId}"` : `(${keyId.length} characters)`;
  const text = `The key ${name} was not found.`;
  if (version === "v1") {
    return expectRefusalOfV1(answer, { status: 404, code: "NOT_FOUND", message: text });
  }
  expectRefusal(answer, { status: 404, type: "unkey/data/key_not_found", detail });
  // A header has ASCII only.
  const hint = `no key of this workspace has the id ${name}`;
  const ascii = hint.replaceAll(/[^ -~]+/g, "?");
  expect(answer.headers.get("x-latchkey-hint")).toContain(ascii);
}

/** The whole state as JSON, except for the counter of requests, which every answer moves. */
export function stateOf(emulator: Emulator): string {
  const { snapshot, ...records } = emulator.snapshot();
  const { ids = {}, ...counters } = snapshot ?? {};
  const { req: _requests, ...others } = ids as Record<string, unknown>;
  return JSON.stringify({ ...records, ...counters, ids: others });
}

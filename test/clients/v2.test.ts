import { Unkey } from "@unkey/api";
import { expect, test } from "vitest";
import { Unkey as Unkey2 } from "unkey-api-2";
import * as errors from "unkey-api-2/models/errors";
import { describeClient, everyField, fixtures } from "../_client-v2.ts";
import { NOW } from "../_emulator.ts";
import { overHttp, type Reached } from "../_reach.ts";

describeClient({ version: "2.5.1", Unkey: Unkey2, errors, lists: "an iterator" });

/** Clients of both versions, of the same emulator and with the same token. */
function connectBoth({ url }: Reached) {
  return {
    older: new Unkey({
      rootKey: "root",
      baseUrl: url,
      retry: { attempts: 1, backoff: () => 1 },
    }),
    newer: new Unkey2({
      rootKey: "root",
      serverURL: url,
      retryConfig: { strategy: "none" },
    }),
  };
}

test("the public client 2.5.1 lists and decrypts a key that 0.38 created with every field", async () => {
  const { newer, older } = connectBoth(await overHttp({ fixtures, strict: true }));
  const { error, result } = await older.keys.create({
    apiId: "api_pay",
    prefix: "live",
    byteLength: 32,
    name: "CI deploy",
    externalId: "user one@example.com",
    meta: { plan: "pro" },
    roles: ["Site admin", "new role"],
    permissions: ["billing:read"],
    expires: 1_900_000_000_000,
    remaining: 10,
    refill: { interval: "monthly", amount: 100, refillDay: 3 },
    ratelimit: { async: true, limit: 10, duration: 1_000 },
    enabled: false,
    recoverable: true,
    environment: "live",
  });

  const page = await newer.apis.listKeys({ apiId: "api_pay", decrypt: true });

  expect(error).toBeUndefined();
  expect(page.result.data).toEqual([
    {
      keyId: result?.keyId,
      start: expect.stringMatching(/^live_/),
      plaintext: result?.key,
      createdAt: NOW,
      enabled: false,
      name: "CI deploy",
      meta: { plan: "pro" },
      expires: 1_900_000_000_000,
      permissions: ["billing:read", "documents.read", "documents.write"],
      roles: ["Site admin", "new role"],
      credits: { remaining: 10, refill: { interval: "monthly", amount: 100, refillDay: 3 } },
      identity: { id: expect.stringMatching(/^id_/), externalId: "user one@example.com" },
      ratelimits: [
        {
          id: expect.stringMatching(/^rl_/),
          name: "default",
          limit: 10,
          duration: 1_000,
          autoApply: true,
        },
      ],
    },
  ]);
});

test("the public client 0.38 lists and decrypts a key that 2.5.1 created with every field", async () => {
  const { newer, older } = connectBoth(await overHttp({ fixtures, strict: true }));
  const ratelimit = { name: "default", limit: 4, duration: 3_000 };
  const { data } = await newer.keys.createKey({
    ...everyField,
    ratelimits: [...everyField.ratelimits, ratelimit],
  });

  const { error, result } = await older.apis.listKeys({ apiId: "api_pay", decrypt: true });

  expect(error).toBeUndefined();
  expect(result).toMatchObject({
    total: 1,
    keys: [
      {
        id: data.keyId,
        apiId: "api_pay",
        plaintext: data.key,
        createdAt: NOW,
        enabled: false,
        name: everyField.name,
        meta: everyField.meta,
        expires: everyField.expires,
        permissions: ["billing:read", "documents.read", "documents.write"],
        roles: ["Site admin"],
        ownerId: everyField.externalId,
        identity: { externalId: everyField.externalId },
        remaining: 90,
        refill: { interval: "monthly", amount: 100, refillDay: 3 },
        // v1 only knows the rate limit with this name.
        ratelimit: { limit: 4, duration: 3_000 },
      },
    ],
  });
});

test("both public clients list the keys of both in the same order, each with its own cursor", async () => {
  const { newer, older } = connectBoth(await overHttp({ fixtures, strict: true }));
  const owners = new Map<string | undefined, string>();
  for (let number = 0; number < 25; number += 1) {
    const externalId = number % 3 === 0 ? "mine" : "yours";
    const body = { apiId: "api_pay", externalId };
    const isNewer = number % 2 === 0;
    const id = isNewer
      ? (await newer.keys.createKey(body)).data.keyId
      : (await older.keys.create(body)).result?.keyId;
    owners.set(id, externalId);
  }
  const mine = [...owners].flatMap(([id, owner]) => (owner === "mine" ? [id] : []));

  for (const [externalId, ids] of [
    [undefined, [...owners.keys()]],
    ["mine", mine],
  ] as const) {
    const query = { apiId: "api_pay", limit: 4, ...(externalId && { externalId }) };
    const byNewer: string[] = [];
    for await (const { result } of await newer.apis.listKeys(query)) {
      byNewer.push(...result.data.map(({ keyId }) => keyId));
      // The iterator goes on for as long as pages have cursors.
      if (byNewer.length > ids.length || result.data.length === 0) break;
    }
    const byOlder: string[] = [];
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const { result } = await older.apis.listKeys({ ...query, ...(cursor && { cursor }) });
      byOlder.push(...(result?.keys ?? []).map(({ id }) => id));
      cursor = result?.cursor;
    }

    expect(new Set(byNewer)).toEqual(new Set(ids));
    expect(byNewer).toHaveLength(ids.length);
    expect(byOlder).toEqual(byNewer);
  }
});

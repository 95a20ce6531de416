import { expect, test } from "vitest";
import { Ratelimit } from "unkey-ratelimit-2";
import * as errors from "unkey-api-2/models/errors";
import { clients, connect2, type ClientVersion } from "../_clients.ts";
import { fixtures } from "../_life.ts";
import { throughMsw } from "../_reach.ts";

test.each(Object.keys(clients) as ClientVersion[])(
  "the public client %s creates and verifies a key through msw",
  async (version) => {
    const { emulator, url } = await throughMsw({ fixtures, strict: true });
    const client = clients[version](url);

    const { key, keyId } = await client.create({ name: "Größe 😀", uses: { left: 1, daily: 1 } });
    const outcomes = [await client.verify(key), await client.verify(key)];

    expect(outcomes).toMatchObject([
      { code: "VALID", keyId, name: "Größe 😀", usesLeft: 0 },
      { code: "USAGE_EXCEEDED" },
    ]);
    expect(emulator.keys.get(keyId)?.name).toBe("Größe 😀");
    await expect(client.nameOf("key_none")).rejects.toThrow(/not_found/i);
  },
);

test("the public client 2.5.1 walks pages and throws its errors through msw", async () => {
  const keys = Array.from({ length: 5 }, (_, index) => ({ apiId: "api_pay", id: `key_${index}` }));
  const { emulator, url } = await throughMsw({ fixtures: [{ ...fixtures[0], keys }] });
  const client = connect2(url);
  const ids: string[] = [];
  for await (const { result } of await client.apis.listKeys({ apiId: "api_pay", limit: 2 })) {
    ids.push(...result.data.map(({ keyId }) => keyId));
  }
  emulator.faults.add({ status: 500 });

  expect(ids).toEqual(keys.map(({ id }) => id));
  await expect(client.keys.getKey({ keyId: "key_1" })).rejects.toThrow(
    errors.InternalServerErrorResponse,
  );
});

test("@unkey/ratelimit counts through msw", async () => {
  const { url } = await throughMsw();
  const settings = { rootKey: "root", namespace: "mail", limit: 1, duration: "1m" as const };
  const limiter = new Ratelimit({ ...settings, baseUrl: url });

  expect((await limiter.limit("user_1")).success).toBe(true);
  expect((await limiter.limit("user_1")).success).toBe(false);
});

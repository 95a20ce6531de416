import { expect, test } from "vitest";
import { Unkey as Unkey013 } from "unkey-api-0.13";
import { Unkey as Unkey016 } from "unkey-api-0.16";
import { Unkey as Unkey019 } from "unkey-api-0.19";
import type { LogEntry } from "../../src/index.ts";
import { givenServer } from "../_server.ts";

const fixtures = [{ apis: [{ id: "api_pay", defaultPrefix: "pay" }] }];

/** A rate limit as the types of these clients require it, without `duration`. */
const olderLimit = { type: "consistent", limit: 10, refillRate: 1, refillInterval: 250 } as const;
const olderClients = [
  ["0.13.1", Unkey013],
  ["0.16.0", Unkey016],
  ["0.19.5", Unkey019],
] as const;

test.each(olderClients)(
  "the public client %s creates keys with rate limits in its own spelling",
  async (_, Client) => {
    const warnings: unknown[] = [];
    const log = (entry: LogEntry) => void (entry.kind === "warning" && warnings.push(entry));
    await using served = await givenServer({ fixtures, log });
    const unkey = new Client({ rootKey: "root", baseUrl: served.url });

    const { result } = await unkey.keys.create({ apiId: "api_pay", ratelimit: olderLimit });
    const page = await unkey.apis.listKeys({ apiId: "api_pay", limit: 10 });

    expect(result?.key).toMatch(/^pay_/);
    expect(page.result?.keys).toMatchObject([
      { id: result?.keyId, ratelimit: { async: false, limit: 10, duration: 250 } },
    ]);
    expect(warnings).toEqual([]);
  },
);

test.each(olderClients)("the public client %s returns refusals as errors", async (_, Client) => {
  await using served = await givenServer({ fixtures });
  const unkey = new Client({
    rootKey: "root",
    baseUrl: served.url,
    retry: { attempts: 1, backoff: () => 1 },
  });

  const { error } = await unkey.keys.create({ apiId: "api_none" });

  // These versions return the whole body of a refusal as the error.
  expect(error).toMatchObject({
    error: {
      code: "NOT_FOUND",
      message: 'apiId: this workspace has no API "api_none"',
    },
  });
});

import { Unkey } from "@unkey/api";
import { setupServer } from "msw/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { Unkey as Unkey2 } from "unkey-api-2";
import type { Emulator } from "../src/index.ts";
import { createHandlers } from "../src/msw/handlers.ts";
import { givenEmulator } from "./_emulator.ts";
import { givenServer } from "./_server.ts";

interface Reached {
  readonly emulator: Emulator;
  readonly url: string;
}

async function overHttp(): Promise<Reached> {
  const served = await givenServer();
  onTestFinished(() => served[Symbol.asyncDispose]());
  return served;
}

async function throughMsw(): Promise<Reached> {
  const emulator = await givenEmulator();
  const url = "https://api.example.com";
  const server = setupServer(...createHandlers(emulator, { baseUrl: url, others: "refuse" }));
  server.listen({ onUnhandledRequest: "error" });
  onTestFinished(() => server.close());
  return { emulator, url };
}

describe.each([
  ["over HTTP", overHttp],
  ["through msw", throughMsw],
])("an operation that is not served, %s,", (_, reach) => {
  test("is named in the error of the public client 0.38", async () => {
    const { emulator, url } = await reach();
    const retry = { attempts: 1, backoff: () => 1 };
    const unkey = new Unkey({ rootKey: "root", baseUrl: url, retry });

    const { result, error } = await unkey.keys.verify({ key: "any", apiId: "api_one" });

    expect(result).toBeUndefined();
    expect(error).toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("latchkey does not serve keys.verifyKey; it serves POST"),
    });
    expect(emulator.requests.list({ code: "NOT_FOUND" })[0]).toMatchObject({
      method: "POST",
      path: "/v1/keys.verifyKey",
      status: 404,
    });
  });

  test("is named in the error of the public client 2.5.1", async () => {
    const name = "verifyKey";
    const named = "keys.verifyKey of v2; it serves POST /v2/keys.createKey, POST /v2/apis.listKeys";
    const { emulator, url } = await reach();
    const unkey = new Unkey2({ rootKey: "root", serverURL: url });
    const error: unknown = await unkey.keys
      .verifyKey({ key: "any" })
      .catch((reason: unknown) => reason);

    expect(error).toMatchObject({
      name: "NotFoundErrorResponse",
      statusCode: 404,
      message: expect.stringContaining(`latchkey does not serve ${named}`),
      error: { title: "Not Found", detail: expect.stringContaining(named) },
      meta: { requestId: expect.stringMatching(/^req_/) },
    });
    expect(emulator.requests.list()).toMatchObject([{ path: `/v2/keys.${name}`, status: 404 }]);
  });
});

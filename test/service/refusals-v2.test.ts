import { describe, expect, test } from "vitest";
import { givenEmulator, send } from "../_emulator.ts";

describe("unserved paths of v2", () => {
  test.each([
    ["/v2/keys.createkey", "keys.createkey of v2; the closest that it serves is POST /v2/keys"],
    [
      "/v2/analytics.getVerifications",
      "analytics.getVerifications of v2; it serves POST /v2/keys.",
    ],
    // Names of v1 and of client methods: the message lists only the operation.
    ...(
      [
        ["keys.updateRemaining", "keys.updateCredits"],
        ["keys.verify", "keys.verifyKey"],
        ["keys.listKeys", "apis.listKeys"],
        ["keys.reroll", "keys.rerollKey"],
      ] as const
    ).map(([name, meant]) => [
      `/v2/${name}`,
      `${name} of v2; the closest that it serves is POST /v2/${meant}. The service does not have it. defineOperation`,
    ]),
    ["/v2/liveness/", "the path /v2/liveness/; the closest that it serves is GET /v2/liveness. "],
    ["/v2/", "the path /v2/; it serves"],
    // Only /v1/ is answered as v1.
    ...(
      [
        [
          "//v2/keys.verifyKey",
          "v2",
          ", which has a double slash: the base URL of the client may end in a slash",
        ],
        [
          "/v2//keys.verifyKey",
          "v2",
          ", which has a double slash: the base URL of the client may end in a slash",
        ],
        [
          "//v1/keys.verifyKey",
          "v1",
          ", which has a double slash: the base URL of the client may end in a slash",
        ],
        [
          "/api/v2/keys.verifyKey",
          "v2",
          ", which begins with /api: the base URL of the client may have a path",
        ],
        [
          "/api/unkey/v1/keys.verifyKey",
          "v1",
          ", which begins with /api/unkey: the base URL of the client may have a path",
        ],
        [
          "/v2/v2/keys.verifyKey",
          "v2",
          ", which begins with /v2: the base URL of the client may have a path",
        ],
        ["/keys.verifyKey", "v2", ", which has no version"],
        ["/V1/keys.verifyKey", "v1", ""],
      ] as const
    ).map(([path, version, why]) => [
      path,
      `the path ${path}${why}; the closest that it serves is POST /${version}/keys.verifyKey. `,
    ]),
    ["/v3/keys.verifyKey", "keys.verifyKey of v3; the closest that it serves is POST /v2/keys.v"],
    ["/", "the path /; it serves POST /v2/"],
    ["//_latchkey/reset", "the path //_latchkey/reset, which has a double slash: "],
    ["/v2/keys/anything", "the path /v2/keys/anything; it serves"],
  ])("the unserved path %s is answered with 404 in the envelope of v2", async (path, named) => {
    const emulator = await givenEmulator();
    for (const method of ["POST", "GET"]) {
      const { status, headers, body } = await send(emulator, toRequest(path, { method }));

      expect(status).toBe(404);
      expect(body).toEqual({
        error: {
          detail: expect.stringContaining(`latchkey does not serve ${named}`),
          status: 404,
          title: "Not Found",
          type: "about:blank",
        },
        meta: { requestId: expect.stringMatching(/^req_/) },
      });
      expect(Object.keys(body)).toEqual(["error", "meta"]);
      expect(headers.get("unkey-request-id")).toBeNull();
      expect(headers.get("content-type")).toBe("application/json");
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(emulator.requests.list().at(-1)?.requestId).toEqual(expect.stringMatching(/^req_/));
    }
    expect(emulator.requests.list()).toMatchObject(
      ["POST", "GET"].map((method) => ({ method, path, status: 404 })),
    );
  });

  test("an unserved path of v2 is problem+json for a client that accepts it", async () => {
    const emulator = await givenEmulator();
    const request = toRequest("/v2/analytics.getVerifications", { headers: { Accept: "*/*" } });

    const { headers } = await emulator.fetch(request);

    expect(headers.get("content-type")).toBe("application/problem+json");
  });
});

test("a body that is too large is refused by v2 with an empty list of errors", async () => {
  const body = `{"pad":"${"x".repeat(10_485_760)}"}`;
  const headers = { "Content-Type": "application/json", Authorization: "Bearer any" };
  const request = toRequest("/v2/keys.createKey", { body, headers });

  const { body: refusal } = await send(await givenEmulator(), request);

  expect(refusal.error).toEqual({
    detail: "The request body is larger than 10485760 bytes.",
    errors: [],
    status: 413,
    title: "Request Entity Too Large",
    type: "https://unkey.com/docs/errors/user/bad_request/request_body_too_large",
  });
  expect(Object.keys(refusal.error)).toEqual(["detail", "errors", "status", "title", "type"]);
});

function toRequest(path: string, init: RequestInit = {}): Request {
  return new Request(`http://emulator.test${path}`, { method: "POST", ...init });
}

test("a path with escapes is named as it was sent", async () => {
  const emulator = await givenEmulator();
  const path = "/v2/keys%2EverifyKey";

  const { body, status } = await send(emulator, toRequest(path, { method: "POST" }));

  expect(status).toBe(404);
  expect(body.error.detail).toContain(`does not serve the path ${path}; `);
});

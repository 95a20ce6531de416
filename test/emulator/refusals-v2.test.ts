import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  ApiError,
  defineOperation,
  onApi,
  type EmulatorOptions,
  type ErrorCode,
} from "../../src/index.ts";
import { givenEmulator, send } from "../_emulator.ts";

/** A user's operation at a v2 path. */
const touch = defineOperation({
  contract: {
    name: "tests.touch",
    method: "POST",
    path: "/v2/tests.touch",
    input: z.object({ apiId: z.string() }),
    output: z.object({}),
  },
  requires: ({ input }) => [onApi(input.apiId, "touch")],
  run: () => ({}),
});

describe("unserved paths of v2", () => {
  test.each([
    ["/v2/keys.createkey", "keys.createkey of v2; the closest that it serves is POST /v2/keys"],
    [
      "/v2/analytics.getVerifications",
      "analytics.getVerifications of v2; it serves POST /v2/keys.",
    ],
    // Names of v1, and of methods of clients: nothing else is listed beside the operation.
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
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(emulator.requests.list().at(-1)?.requestId).toEqual(expect.stringMatching(/^req_/));
    }
    expect(emulator.requests.list()).toMatchObject(
      ["POST", "GET"].map((method) => ({ method, path, status: 404 })),
    );
  });

  test.each([
    [undefined, "application/json"],
    ["application/json", "application/json"],
    ["text/html", "application/json"],
    ["*/*", "application/problem+json"],
    ["application/*", "application/problem+json"],
    ["application/json, application/problem+json;q=0.5", "application/problem+json"],
  ])("an unserved path of v2 with Accept %j has the content type %s", async (accept, type) => {
    const emulator = await givenEmulator();
    const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };

    const answer = await emulator.fetch(toRequest("/v2/analytics.getVerifications", { headers }));

    expect(answer.headers.get("content-type")).toBe(type);
  });
});

describe("a user's operation at a v2 path", () => {
  const fixtures = [
    {
      apis: [{ id: "api_one" }],
      tokens: [
        { token: "good", permissions: ["*"] },
        { token: "weak", permissions: [] },
        { token: "disabled", enabled: false },
        { token: "expired", expires: 1 },
      ],
    },
  ];
  const call = async (init: RequestInit, options: EmulatorOptions = {}) => {
    const emulator = await givenEmulator({ fixtures, operations: [touch], ...options });
    return send(emulator, toRequest("/v2/tests.touch", init));
  };
  const calling = (token: string, body = '{"apiId":"api_one"}'): RequestInit => ({
    body,
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
  });

  test.each([
    ["a wrong method", { method: "GET" }, 405, "Method Not Allowed", "about:blank"],
    ["a disabled token", calling("disabled"), 403, "Key is disabled", "authorization/key_disabled"],
    ["an expired token", calling("expired"), 403, "Forbidden", "unkey/authorization/forbidden"],
    [
      "a missing permission",
      calling("weak"),
      403,
      "Insufficient Permissions",
      "unkey/authorization/insufficient_permissions",
    ],
  ])("an operation refuses %s in the envelope of v2", async (_, init, status, title, type) => {
    const { body, headers } = await call(init);

    expect(body).toEqual({
      error: {
        detail: expect.any(String),
        status,
        title,
        type: expect.stringMatching(new RegExp(`${type}$`)),
      },
      meta: { requestId: expect.stringMatching(/^req_/) },
    });
    expect(headers.get("allow")).toBe(status === 405 ? "POST" : null);
  });

  test("a body that is too large is refused with an empty list of errors", async () => {
    const { body } = await call(calling("good", `{"pad":"${"x".repeat(10_485_760)}"}`));

    expect(body.error).toEqual({
      detail: "The request body is larger than 10485760 bytes.",
      errors: [],
      status: 413,
      title: "Request Entity Too Large",
      type: "https://unkey.com/docs/errors/user/bad_request/request_body_too_large",
    });
    expect(Object.keys(body.error)).toEqual(["detail", "errors", "status", "title", "type"]);
  });

  test.each([
    [{ status: 404 }, 404, "Not Found", "unkey/data/api_not_found"],
    [{ status: 409 }, 409, "Conflicting Resource", "unkey/application/precondition_failed"],
    [{ status: 410 }, 410, "Resource Gone", "unkey/application/precondition_failed"],
    [{ status: 418 }, 418, "Bad Request", "unkey/application/invalid_input"],
    [
      { type: "unkey/data/role_already_exists" },
      409,
      "Conflicting Resource",
      "unkey/data/role_already_exists",
    ],
    [
      { type: "unkey/data/tenant_gone", status: 410 },
      410,
      "Resource Gone",
      "unkey/data/tenant_gone",
    ],
    [
      { type: "unkey/data/tenant_off", code: "DISABLED" as ErrorCode },
      403,
      "Forbidden",
      "unkey/data/tenant_off",
    ],
    [{ status: 429 }, 429, "Too Many Requests", "user/too_many_requests/workspace_rate_limited"],
    [{ status: 500 }, 500, "Internal Server Error", "unkey/application/unexpected_error"],
    [{ status: 503 }, 503, "Service Unavailable", "unkey/application/service_unavailable"],
    [{ code: "DISABLED" as ErrorCode }, 403, "Key is disabled", "unkey/authorization/key_disabled"],
  ])("a fault answers in the envelope of v2: %j", async (fault, status, title, type) => {
    const emulator = await givenEmulator({ fixtures, operations: [touch] });
    emulator.faults.add(fault);

    const answer = await send(emulator, toRequest("/v2/tests.touch", calling("good")));

    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({
      detail: "an injected fault",
      status,
      title,
      type: `https://unkey.com/docs/errors/${type}`,
    });
    expect(answer.headers.get("x-latchkey-hint")).toContain("hit by fault_1");
  });

  test("an ApiError is answered in the envelope of v2", async () => {
    const refusing = defineOperation({
      ...touch,
      run: () => {
        throw new ApiError("NOT_FOUND", "there is none", { headers: { "Retry-After": "1" } });
      },
    });

    const { body, headers } = await call(calling("good"), { operations: [refusing] });

    expect(body.error).toMatchObject({ detail: "there is none", status: 404, title: "Not Found" });
    expect(headers.get("retry-after")).toBe("1");
  });
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

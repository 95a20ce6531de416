import { describe, expect, test } from "vitest";
import { givenEmulator, send, type Answer, type Door } from "../_emulator.ts";

const OPERATION = "/v2/keys.verifyKey";
const UNKNOWN = "/v2/keys.verfyKey";
const LIVENESS = "/v2/liveness";

function ask(door: Door, method: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { Accept: "application/json", ...(init.headers as Record<string, string>) };
  return send(door, new Request(`http://emulator.test${path}`, { ...init, method, headers }));
}

interface Expected {
  readonly status: 404 | 405;
  readonly allow?: string;
  readonly detail: unknown;
  readonly type?: string;
}

/** Expects the envelope of a path or method that leads nowhere, with its members in order. */
function expectRoutingError(
  { body, headers, status }: Answer,
  { allow, detail, status: expected, type = "application/json" }: Expected,
): void {
  const title = expected === 404 ? "Not Found" : "Method Not Allowed";
  expect(body).toEqual({
    error: { detail, status: expected, title, type: "about:blank" },
    meta: { requestId: expect.stringMatching(/^req_/) },
  });
  expect(Object.keys(body.error)).toEqual(["detail", "status", "title", "type"]);
  expect([status, headers.get("allow")]).toEqual([expected, allow ?? null]);
  expect(headers.get("content-type")).toBe(type);
}

describe("in v2, without a token and with any body,", () => {
  test.each(["GET", "PUT", "DELETE", "OPTIONS"])(
    "%s on the path of an operation is 405, and only POST is allowed",
    async (method) => {
      const emulator = await givenEmulator({ fixtures: [{ tokens: [{ token: "root" }] }] });

      expectRoutingError(await ask(emulator, method, OPERATION), {
        status: 405,
        allow: "POST",
        detail: "keys.verifyKey is called with POST",
      });
    },
  );

  test("HEAD is answered with the same headers and no body", async () => {
    const emulator = await givenEmulator();

    const wrong = await ask(emulator, "HEAD", OPERATION);
    const unknown = await ask(emulator, "HEAD", UNKNOWN);

    expect([wrong.status, wrong.headers.get("allow"), wrong.body]).toEqual([
      405,
      "POST",
      undefined,
    ]);
    expect([unknown.status, unknown.body]).toEqual([404, undefined]);
    expect(unknown.headers.get("content-type")).toBe("application/json");
  });

  test("a body that is too large, or no JSON, changes nothing", async () => {
    const emulator = await givenEmulator();

    for (const body of ["{", "x".repeat(10_485_761)]) {
      const wrong = await ask(emulator, "PUT", OPERATION, { body });
      const unknown = await ask(emulator, "POST", UNKNOWN, { body });

      expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
      expect([unknown.status, unknown.body.error.title]).toEqual([404, "Not Found"]);
    }
  });
});

describe("with the quirk plain-404, v2 answers in the words of the service, and the hint says more:", () => {
  test.each([
    ["POST", UNKNOWN, 404, "The requested endpoint does not exist.", "latchkey does not serve"],
    [
      "GET",
      OPERATION,
      405,
      "The request method is not supported for this endpoint.",
      "keys.verifyKey is called with POST",
    ],
    [
      "POST",
      LIVENESS,
      405,
      "The request method is not supported for this endpoint.",
      "/v2/liveness is called with GET",
    ],
  ] as const)("%s %s", async (method, path, status, detail, hint) => {
    const emulator = await givenEmulator({ quirks: ["plain-404"] });
    const headers = { Accept: "application/problem+json" };

    const answer = await ask(emulator, method, path, { headers });

    const allow = { [OPERATION]: "POST", [LIVENESS]: "GET, HEAD" }[path as string];
    const type = "application/problem+json";
    expectRoutingError(answer, { status, detail, type, ...(allow && { allow }) });
    expect(answer.headers.get("x-latchkey-hint")).toContain(hint);
    expect(answer.headers.get("access-control-expose-headers")).toContain("X-Latchkey-Hint");
  });
});

describe("a preflight of a browser is answered with 204:", () => {
  test.each([
    [OPERATION, "POST, OPTIONS"],
    [UNKNOWN, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"],
    [LIVENESS, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"],
    ["/v1/keys.verfyKey", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"],
  ])("%s", async (path, methods) => {
    const emulator = await givenEmulator();
    // Only a browser itself may set these headers; fetch would drop them.
    const sent: Record<string, string> = {
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    };

    const reply = await emulator.handle({
      method: "OPTIONS",
      path,
      query: "",
      header: (name) => sent[name],
      body: new Uint8Array(),
    });

    expect(reply.status).toBe(204);
    expect(reply.headers).toMatchObject({
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers": "authorization,content-type",
    });
  });
});

describe("GET /v2/liveness", () => {
  test("is answered with 200, without a token", async () => {
    const emulator = await givenEmulator({ fixtures: [{ tokens: [{ token: "root" }] }] });

    const { body, headers, status } = await ask(emulator, "GET", LIVENESS);

    expect(status).toBe(200);
    expect(body).toEqual({
      data: { message: expect.any(String) },
      meta: { requestId: expect.stringMatching(/^req_/) },
    });
    expect(Object.keys(body)).toEqual(["data", "meta"]);
    expect(headers.get("content-type")).toBe("application/json");
  });

  test("leaves no trace, and no fault hits it", async () => {
    const log: unknown[] = [];
    const emulator = await givenEmulator({ latency: 3_600_000, log: (entry) => log.push(entry) });
    emulator.faults.add({ status: 500 });
    const before = JSON.stringify(emulator.snapshot());

    expect((await ask(emulator, "GET", LIVENESS)).status).toBe(200);
    expect((await ask(emulator, "HEAD", LIVENESS)).status).toBe(200);

    expect(emulator.requests.list()).toEqual([]);
    expect(log).toEqual([]);
    // The snapshot has the counter of request ids.
    expect(JSON.stringify(emulator.snapshot())).toBe(before);
  });

  test("has no body with HEAD", async () => {
    const emulator = await givenEmulator();

    const { body, status } = await ask(emulator, "HEAD", LIVENESS);

    expect([status, body]).toEqual([200, undefined]);
  });

  test.each(["POST", "PUT", "OPTIONS"])("is not called with %s", async (method) => {
    const emulator = await givenEmulator();

    expectRoutingError(await ask(emulator, method, LIVENESS), {
      status: 405,
      allow: "GET, HEAD",
      detail: "/v2/liveness is called with GET",
    });
  });

  test.each(["/v2/liveness/", "/v1/liveness"])("is not at %s", async (path) => {
    const emulator = await givenEmulator();

    expect((await ask(emulator, "GET", path)).status).toBe(404);
  });
});

test("v1 answers a bare OPTIONS with 204, as before", async () => {
  const emulator = await givenEmulator();

  expect((await ask(emulator, "OPTIONS", "/v1/keys.createKey")).status).toBe(204);
  expect((await ask(emulator, "OPTIONS", "/v1/keys.verfyKey")).status).toBe(404);
});

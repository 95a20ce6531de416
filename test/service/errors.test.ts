import { describe, expect, test } from "vitest";
import { createKey, givenEmulator, listKeys, post, send, type Door } from "../_emulator.ts";
import { doing } from "../_own-operations.ts";

describe("routes", () => {
  test.each([
    ["GET", "/v1/keys.createKey", "POST, OPTIONS"],
    ["HEAD", "/v1/keys.createKey", "POST, OPTIONS"],
    ["POST", "/v1/apis.listKeys", "GET, HEAD, OPTIONS"],
  ])("%s %s is refused as the wrong method before authentication", async (method, path, allow) => {
    const emulator = await givenEmulator();

    const { status, headers, body } = await send(
      emulator,
      new Request(`http://emulator.test${path}`, { method }),
    );

    expect(status).toBe(405);
    expect(headers.get("allow")).toBe(allow);
    if (method !== "HEAD") expect(body.error.code).toBe("METHOD_NOT_ALLOWED");
  });
});

/** A body of this many bytes. */
const bodyOf = (bytes: number) => {
  const start = '{"apiId":"api_one","pad":"';
  return `${start}${"x".repeat(bytes - start.length - 2)}"}`;
};

test("a user's operation of v2 takes a body of 10 MiB at any path", async () => {
  const { contract, ...rest } = doing(() => ({ data: {} }));
  const operation = { ...contract, version: "v2", path: "/internal/run" } as const;
  const emulator = await givenEmulator({ operations: [{ ...rest, contract: operation }] });

  const statuses = [];
  for (const bytes of [10_485_760, 10_485_761]) {
    statuses.push((await post(emulator, operation.path, bodyOf(bytes))).status);
  }

  expect(statuses).toEqual([200, 413]);
});

test("a body of exactly 1 MiB is accepted by v1", async () => {
  const emulator = await givenEmulator();

  expect((await createKey(emulator, bodyOf(1_048_576))).status).toBe(200);
});

describe("a compressed body", () => {
  const create = (door: Door, encoding: string, token: string | null = "any") =>
    createKey(door, { apiId: "api_one" }, { token, headers: { "Content-Encoding": encoding } });

  test.each(["gzip", "br", "gzip, identity", "unheard-of"])(
    "of the encoding %j is refused with 415 and its name, after authentication",
    async (encoding) => {
      const emulator = await givenEmulator();

      const { body, headers, status } = await create(emulator, encoding);
      const unknown = await create(emulator, encoding, null);

      expect([status, body.error.code]).toEqual([415, "BAD_REQUEST"]);
      expect(body.error.message).toBe(
        `content-encoding: expected identity, a body that is not compressed, got ${encoding}`,
      );
      expect(headers.get("accept-encoding")).toBe("identity");
      expect(unknown.status).toBe(401);
      expect(emulator.keys.count()).toBe(0);
    },
  );

  test.each(["identity", "Identity", ""])("is not meant by the encoding %j", async (encoding) => {
    const emulator = await givenEmulator();

    expect((await create(emulator, encoding)).status).toBe(200);
  });
});

describe("browsers", () => {
  test("may read every answer of an operation", async () => {
    const emulator = await givenEmulator();
    for (const answer of [
      await listKeys(emulator, { apiId: "api_one" }),
      await listKeys(emulator, { apiId: "api_one" }, { token: null }),
      await createKey(emulator, { apiId: "api_one" }),
      await createKey(emulator, "{"),
    ]) {
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-expose-headers")).toContain("Unkey-Request-Id");
    }
  });

  test.each([
    ["/v1/keys.createKey", "POST, OPTIONS"],
    ["/v1/apis.listKeys", "GET, HEAD, OPTIONS"],
  ])("learn from OPTIONS %s which methods and headers they may send", async (path, methods) => {
    const emulator = await givenEmulator();
    const request = new Request(`http://emulator.test${path}`, {
      method: "OPTIONS",
      headers: {
        "Access-Control-Request-Headers": "authorization,content-type,unkey-telemetry-sdk",
      },
    });

    // In a browser this is null, because scripts may not set this header.
    const requested = request.headers.get("access-control-request-headers");

    const response = await emulator.fetch(request);

    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-methods")).toBe(methods);
    expect(response.headers.get("access-control-allow-headers")).toBe(requested);
  });
});

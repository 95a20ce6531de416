import { describe, expect, test, vi } from "vitest";
import { KeySet } from "../../src/state/keys/key-set.ts";
import { createKey, givenEmulator, listKeys, post, send, type Door } from "../_emulator.ts";
import { doing } from "../_own-operations.ts";

describe("routes", () => {
  test.each([
    ["GET", "/v1/keys.createKey", "POST, OPTIONS"],
    ["HEAD", "/v1/keys.createKey", "POST, OPTIONS"],
    ["DELETE", "/v1/keys.createKey", "POST, OPTIONS"],
    ["POST", "/v1/apis.listKeys", "GET, HEAD, OPTIONS"],
    ["PUT", "/v1/apis.listKeys", "GET, HEAD, OPTIONS"],
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

describe("a body over 1 MiB", () => {
  const body = (bytes: number) => {
    const start = '{"apiId":"api_one","pad":"';
    return `${start}${"x".repeat(bytes - start.length - 2)}"}`;
  };

  test("is answered with 413 and BAD_REQUEST, after authentication", async () => {
    const emulator = await givenEmulator();

    const known = await createKey(emulator, body(1_048_577));
    const unknown = await createKey(emulator, body(1_048_577), { token: null });

    expect([known.status, known.body.error.code]).toEqual([413, "BAD_REQUEST"]);
    expect(known.body.error.message).toBe("body: expected at most 1048576 bytes");
    expect(unknown.status).toBe(401);
  });

  test("is accepted at any path by a user's operation of v2, which takes 10 MiB", async () => {
    const { contract, ...rest } = doing(() => ({ data: {} }));
    const operation = { ...contract, version: "v2", path: "/internal/run" } as const;
    const emulator = await givenEmulator({ operations: [{ ...rest, contract: operation }] });

    const statuses = [];
    for (const bytes of [10_485_760, 10_485_761]) {
      statuses.push((await post(emulator, operation.path, body(bytes))).status);
    }

    expect(statuses).toEqual([200, 413]);
  });

  test("is refused, but one of exactly 1 MiB is not", async () => {
    const emulator = await givenEmulator();

    expect((await createKey(emulator, body(1_048_576))).status).toBe(200);
  });
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

test("an internal error is answered with 500 without details, and the log gets the error", async () => {
  const bugs: unknown[] = [];
  const emulator = await givenEmulator({
    log: (entry) => {
      if (entry.kind === "bug") bugs.push(entry.error);
    },
  });
  const page = vi.spyOn(KeySet.prototype, "jsonPage").mockImplementation(() => {
    throw new Error("inner secret");
  });

  const { status, body } = await listKeys(emulator, { apiId: "api_one" });
  page.mockRestore();

  expect([status, body.error.code]).toEqual([500, "INTERNAL_SERVER_ERROR"]);
  expect(JSON.stringify(body)).not.toContain("inner secret");
  expect(String(bugs)).toContain("inner secret");
});

import { expect, test } from "vitest";
import { givenEmulator, send } from "../_emulator.ts";

test.each([
  "/",
  "/v1",
  "/v1/",
  "/v1/keys.createKey/",
  "/v1/keys.createkey",
  "/v1//keys.createKey",
  "/v1/keys%2EcreateKey",
  "/v2/keys.createKey",
  "//v1/keys.createKey",
])("%s is not found, whatever the method", async (path) => {
  const emulator = await givenEmulator();
  for (const method of ["GET", "POST", "OPTIONS", "DELETE"]) {
    const answer = await send(emulator, new Request(`http://emulator.test${path}`, { method }));

    expect([answer.status, answer.body.error.code]).toEqual([404, "NOT_FOUND"]);
    expect(answer.headers.get("x-latchkey-hint")).toContain(
      "latchkey serves POST /v1/keys.createKey",
    );
  }
});

test("an operation of the service that is not emulated is not found, and the hint says so", async () => {
  const emulator = await givenEmulator();
  for (const name of ["keys.deleteKey", "identities.createIdentity", "ratelimits.limit"]) {
    const request = new Request(`http://emulator.test/v1/${name}`, {
      method: "POST",
      body: "{}",
    });
    const { status, body, headers } = await send(emulator, request);

    expect(status).toBe(404);
    expect(Object.keys(body.error)).toEqual(["code", "docs", "message", "requestId"]);
    expect(headers.get("x-latchkey-hint")).toContain(`${name} is not emulated`);
    expect(headers.get("access-control-expose-headers")).toBe("Unkey-Request-Id, X-Latchkey-Hint");
  }
});

test("an unknown route is told before authentication", async () => {
  const emulator = await givenEmulator({ fixtures: [{ tokens: [{ token: "root" }] }] });
  const request = new Request("http://emulator.test/v1/keys.createkey", { method: "POST" });

  expect((await send(emulator, request)).status).toBe(404);
});

test.each(["/", "/v1/keys.deleteKey", "/v1/keys.createKey/"])(
  "with the quirk plain-404, %s is text",
  async (path) => {
    const emulator = await givenEmulator({ quirks: ["plain-404"] });

    const answer = await emulator.fetch(new Request(`http://emulator.test${path}`));

    expect([answer.status, await answer.text()]).toEqual([404, "404 Not Found"]);
    expect(answer.headers.get("x-latchkey-hint")).toContain("latchkey serves");
  },
);

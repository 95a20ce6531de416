import { expect, test } from "vitest";
import { givenEmulator, send } from "../_emulator.ts";

test.each([
  "/v1/identities.createIdentity",
  "/v1/keys.createkey",
  "/v1/keys.createKey/",
  "/v1/keys",
  "/else",
])("a path without an operation, %s, is answered with 404 and recorded", async (path) => {
  const emulator = await givenEmulator();
  const request = new Request(`http://emulator.test${path}`, { method: "POST", body: "{}" });

  const { status, body } = await send(emulator, request);

  expect(status).toBe(404);
  expect(body.error.message ?? body.error.detail).toMatch(/^latchkey does not serve /);
  expect(emulator.requests.list()).toMatchObject([{ method: "POST", path, status: 404 }]);
});

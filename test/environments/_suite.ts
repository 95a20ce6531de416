/// <reference lib="dom" />
import { setupServer } from "msw/node";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../src/index.ts";
import { createHandlers } from "../../src/msw/handlers.ts";

const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
const body = JSON.stringify({ apiId: "api_local", name: "ünï🔑" });

/** Tests of the emulator in an environment that replaces globals, as frontend tests use it. */
export function testEnvironment(): void {
  const server = setupServer();
  let emulator: Emulator;
  beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
  beforeEach(async () => {
    emulator = await createEmulator();
    const baseUrl = ["https://api.example.com", "/api"];
    server.resetHandlers(...createHandlers(emulator, { baseUrl }));
  });
  afterAll(() => server.close());

  test("the environment has a document", () => {
    expect(document.createElement("p").outerHTML).toBe("<p></p>");
  });

  test.each(["https://api.example.com", "/api"])(
    "fetch reaches the emulator at %s",
    async (base) => {
      const url = new URL(`${base}/v1/`, location.href).href;

      const created = await fetch(`${url}keys.createKey`, { method: "POST", headers, body });
      const listed = await fetch(`${url}apis.listKeys?apiId=api_local`, { headers });

      expect(created.status).toBe(200);
      const { keyId } = (await created.json()) as { keyId: string };
      const { keys } = (await listed.json()) as { keys: { id: string; name: string }[] };
      expect(keys.at(-1)).toMatchObject({ id: keyId, name: "ünï🔑" });
    },
  );

  test("fetch reads the body of a refusal", async () => {
    const response = await fetch("https://api.example.com/v1/apis.listKeys", { headers });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "BAD_REQUEST" } });
  });

  test("XMLHttpRequest reaches the emulator", async () => {
    const request = new XMLHttpRequest();
    request.open("POST", "/api/v1/keys.createKey");
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    const done = new Promise((resolve) => (request.onloadend = resolve));
    request.send(body);
    await done;

    expect(request.status).toBe(200);
    expect(JSON.parse(request.responseText)).toEqual({
      keyId: expect.stringMatching(/^key_/),
      key: expect.any(String),
    });
  });

  test("the emulator takes the environment's own Request", async () => {
    const request = new Request("https://anywhere.test/v1/keys.createKey", {
      method: "POST",
      headers,
      body,
    });

    const response = await emulator.fetch(request);

    expect([response.status, emulator.keys.count()]).toEqual([200, 4]);
  });
}

/// <reference lib="dom" />
import { setupServer } from "msw/node";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../src/index.ts";
import { createHandlers } from "../../src/doors/msw.ts";
import { NOW, openWorld } from "../_emulator.ts";
import { sessions, type Step } from "../doors/_sessions.ts";

const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
const body = JSON.stringify({ apiId: "api_local", name: "ünï🔑" });

async function statusOf(
  { target, body, ...init }: Step,
  send: typeof fetch,
): Promise<Step["status"]> {
  const url = `https://emulator.test${target}`;
  try {
    const response = await send(url, body === undefined ? init : { ...init, body });
    await response.arrayBuffer();
    return response.status;
  } catch {
    // Each environment has error classes of its own.
    return "error";
  }
}

/** The JSON object that a step sends, if the journal shows it as it is. */
function inputOf({ body, method }: Step): unknown {
  if (method !== "POST" || typeof body !== "string" || body.length > 100_000) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return /key|token/i.test(body.replaceAll("keyId", "")) ? undefined : value;
  } catch {
    return undefined;
  }
}

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

  test.each(sessions.map((session) => [session.name, session] as const))(
    "emulator.fetch and msw answer with the same statuses and journal as in Node: %s",
    async (_, { faults = [], options, steps }) => {
      for (const door of ["fetch", "msw"]) {
        const fixed = { fixtures: [openWorld], randomSeed: 1, now: NOW, log: () => {} };
        emulator = await createEmulator({ ...fixed, ...options });
        for (const fault of faults) emulator.faults.add(fault);
        const baseUrl = "https://emulator.test";
        server.resetHandlers(...createHandlers(emulator, { baseUrl, others: "refuse" }));
        const send = door === "fetch" ? emulator.fetch : fetch;

        for (const step of steps) {
          expect(await statusOf(step, send), `${door}: ${step.target}`).toBe(step.status);
          const [last] = emulator.requests.list().slice(-1);
          const sent = inputOf(step);
          if (sent !== undefined && last !== undefined) expect(last.input).toEqual(sent);
        }
      }
    },
  );

  test("the journal reads, masks and matches the body of a POST", async () => {
    const input = { keyId: "key_1", decrypt: true };
    await fetch("/api/v2/keys.getKey", { method: "POST", headers, body: JSON.stringify(input) });
    await fetch("/api/v2/keys.verifyKey", { method: "POST", headers, body: '{"key":"sk_secret"}' });

    const [, verification] = await emulator.requests.waitFor({ count: 2 });
    expect(emulator.requests.count({ match: input })).toBe(1);
    expect(verification?.input).toEqual({ key: "***" });
  });

  test("values of the environment's own classes are accepted", async () => {
    emulator.clock.freeze();
    emulator.clock.set(new Date(NOW));
    createHandlers(emulator, { baseUrl: new URL("https://api.example.com") });

    expect(emulator.clock.now()).toBe(NOW);
    await expect(emulator.restore(Promise.resolve({}) as never)).rejects.toThrow("await missing");
  });

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

import { describe, expect, test } from "vitest";
import { givenEmulator } from "../../_emulator.ts";
import type { Answer } from "../../_emulator.ts";
import { CONTROL, listing } from "../../control/_access.ts";
import { control, expectUnshared, serving, stateOf, uses } from "../../control/_control.ts";

const PAGE = "http://localhost:6006";
const allowOrigins = [PAGE, "HTTPS://App.Example:443"];

async function givenShared(...options: Parameters<typeof givenEmulator>) {
  const emulator = await givenEmulator(...options);
  const { port, ...served } = await serving(emulator, { allowOrigins });
  return { ...served, emulator, port };
}

/** The CORS headers of an answer. */
function shared({ headers }: Answer): object {
  return Object.fromEntries([...headers].filter(([name]) => /^access-control-|^vary$/.test(name)));
}

const readable = {
  "access-control-allow-origin": PAGE,
  "access-control-expose-headers": "X-Latchkey-Hint",
  vary: "Origin",
};

test("a page of an allowed origin may call every control route, and read each answer", async () => {
  for (const { body, call, status } of uses) {
    await using served = await givenShared({ fixtures: [listing] });
    const headers = { "Sec-Fetch-Site": "cross-site" };

    const answer = await control(served, call, { body, headers, token: "root", origin: PAGE });

    expect([call, answer.status, shared(answer)]).toEqual([call, status, readable]);
  }
});

test("a page of an allowed origin can read why a call is refused", async () => {
  await using served = await givenShared({ fixtures: [listing] });

  for (const [call, token, status] of [
    ["GET /clock", null, 401],
    ["GET /clock", "nobody", 401],
    ["GET /clock", "reader", 403],
    ["PUT /clock", "watcher", 403],
    ["GET /nothing", "root", 404],
    ["PATCH /clock", "root", 405],
    ["POST /faults", "root", 400],
  ] as const) {
    const answer = await control(served, call, { token, origin: PAGE });

    expect([call, answer.status, shared(answer)]).toEqual([call, status, readable]);
  }
});

test.each([PAGE, "https://app.example"])(
  "a preflight of a page of %s is answered",
  async (page) => {
    await using served = await givenShared({ controlToken: CONTROL });

    const answer = await control(served, "OPTIONS /clock", {
      origin: page,
      headers: {
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "authorization,content-type",
      },
    });

    expect([answer.status, answer.body]).toEqual([204, undefined]);
    expect(shared(answer)).toEqual({
      ...readable,
      "access-control-allow-origin": page,
      "access-control-allow-methods": "GET, POST, PUT, DELETE",
      "access-control-allow-headers": "authorization,content-type",
    });
  },
);

describe("where another origin is allowed", () => {
  test.each([
    ["of another origin", { origin: "https://evil.example" }],
    ["of an allowed host on another port", { origin: "http://localhost:6007" }],
    ["of an allowed host by another scheme", { origin: "http://app.example" }],
    ["without an origin", { origin: "null" }],
    ["that sends no Origin", { headers: { "Sec-Fetch-Site": "cross-site" } }],
    ["under a host that is not expected", { origin: PAGE, host: "evil.example" }],
  ])("a page %s is refused and reads nothing", async (_, from) => {
    await using served = await givenShared({ fixtures: [listing] });
    const before = stateOf(served.emulator);
    const preflight = { "Access-Control-Request-Method": "PUT" };
    const headers = { ...("headers" in from ? from.headers : {}), ...preflight };

    const refused = await control(served, "POST /reset", { token: "root", ...from });
    const asked = await control(served, "OPTIONS /reset", { ...from, headers });

    expect([refused.status, asked.status]).toEqual([403, 405]);
    expectUnshared(refused);
    expectUnshared(asked);
    expect(stateOf(served.emulator)).toEqual(before);
  });

  test("a request without a page gets no CORS headers, and the refusal of a page names the option", async () => {
    await using served = await givenShared();

    const { body } = await control(served, "GET /clock", { origin: "https://evil.example" });

    expectUnshared(await control(served, "GET /clock"));
    expect(body.error.message).toContain("allow pages of further origins with --allow-origin");
  });
});

test.each([
  "*",
  "http://*.example",
  "localhost:6006",
  "http://localhost:6006/",
  "http://localhost:6006/page",
  "http://localhost:6006?query",
  "http://user@localhost:6006",
  "http://",
  "http://localhost:66006",
  "file://localhost",
  "null",
  "",
])("serve refuses the allowed origin %j", async (origin) => {
  const emulator = await givenEmulator();

  await expect(serving(emulator, { allowOrigins: [origin] })).rejects.toThrow(
    "serve: allowOrigins[0]: expected origins of pages, like http://localhost:6006, with a scheme and without a path",
  );
});

import { describe, expect, test } from "vitest";
import { connect } from "../../src/control/client/connect.ts";
import { createKey, NOW, post } from "../_emulator.ts";
import { givenServer } from "../_server.ts";
import { control } from "./_control.ts";

const tokens = [
  { token: "creates_keys", permissions: ["api.*.create_key", "api.*.read_key"] },
  { token: "controls_all", permissions: ["latchkey.control"] },
  { token: "only_watches", permissions: ["latchkey.watch"] },
];
const given = (more = {}) =>
  givenServer({ fixtures: [{ apis: [{ id: "api_first" }], tokens }], now: NOW, ...more });

describe("GET /_latchkey/needed-permissions", () => {
  test("answers the same as the method in process and the client's method", async () => {
    await using served = await given();
    const { emulator, url } = served;
    await createKey(emulator, { apiId: "api_first" }, { token: "creates_keys" });
    const client = connect(url, { token: "controls_all" });

    const route = "GET /needed-permissions?anyApi=true&all=true";
    const answer = await control(served, route, { token: "controls_all" });

    const expected = emulator.neededPermissions({ anyApi: true });
    expect(expected).toEqual([
      {
        token: "tokens[0]",
        permissions: ["api.*.create_key"],
        urns: ["unkey:v1:ws_local:projects/*/keyspaces/*/keys/*#write"],
        unused: ["api.*.read_key"],
        refused: [],
      },
    ]);
    expect([answer.status, answer.body]).toEqual([200, { tokens: expected }]);
    expect(await client.neededPermissions({ anyApi: true })).toEqual(expected);
    expect(await client.neededPermissions()).toEqual(emulator.neededPermissions());
  });

  test("with isolation shows a token its own calls, and refuses to show others", async () => {
    await using served = await givenServer({
      fixtures: [{ apis: [{ id: "api_first" }] }],
      isolate: true,
    });
    for (const token of ["test_one_token", "test_two_token"]) {
      await post(served.emulator, "/v2/apis.getApi", { apiId: "api_first" }, { token });
    }
    const ask = (query: string) =>
      control(served, `GET /needed-permissions${query}`, { token: "test_one_token" });

    const [own, all] = [await ask(""), await ask("?all=true")];

    expect(own.body.tokens).toMatchObject([
      { token: "unlisted[0]", permissions: ["api.api_first.read_api"] },
    ]);
    expect(all.status).toBe(403);
    expect(all.body.error.message).toContain("it shows the calls of other tokens too");
  });
});

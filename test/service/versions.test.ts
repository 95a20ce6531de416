import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineOperation, type Emulator } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, NOW, post, send } from "../_emulator.ts";
import { createKeyV2, listAllV2, listKeysV2 } from "../_v2.ts";

const api = { apiId: "api_one" };
const DOCS = "https://unkey.com/docs/errors/";

const request = (path: string, method = "POST", headers: Record<string, string> = {}) =>
  new Request(`http://emulator.test${path}`, {
    method,
    headers: { Authorization: "Bearer any", ...headers },
    ...(method === "POST" ? { body: "{}" } : {}),
  });

describe("faults", () => {
  test("a fault with a version hits its calls only, and one without a version hits those of both", async () => {
    const emulator = await givenEmulator();
    const statuses = async () => [
      (await createKey(emulator, api)).status,
      (await createKeyV2(emulator, api)).status,
    ];

    emulator.faults.add({ operation: "keys.createKey", version: "v2", status: 503 });
    expect(await statuses()).toEqual([200, 503]);
    emulator.faults.clear();
    emulator.faults.add({ operation: "keys.createKey", version: "v1", status: 503 });
    expect(await statuses()).toEqual([503, 200]);
    emulator.faults.clear();
    emulator.faults.add({ operation: "keys.createKey", status: 429, times: 2 });
    expect(await statuses()).toEqual([429, 429]);
    expect(await statuses()).toEqual([200, 200]);
  });
});

describe("journal", () => {
  test("the journal shows the version, and the type of a refusal of v2 instead of a code", async () => {
    const emulator = await givenEmulator();

    const created = await createKeyV2(emulator, { ...api, name: "CI" });
    await listKeysV2(emulator, api);
    const refused = await listKeysV2(emulator, { apiId: "api_none" });
    await listKeys(emulator, { apiId: "api_none" });

    const shared = { version: "v2", method: "POST", time: NOW, faults: [] };
    const made = { operation: "keys.createKey", path: "/v2/keys.createKey", status: 200 };
    const asked = { operation: "apis.listKeys", path: "/v2/apis.listKeys", status: 200 };
    const refusal = { status: 404, code: undefined, type: "unkey/data/api_not_found" };
    const data = { key: "***", keyId: created.body.data.keyId };
    expect(emulator.requests.list()).toMatchObject([
      {
        ...shared,
        ...made,
        duration: expect.any(Number),
        input: { ...api, name: "CI" },
        answer: { data, meta: created.body.meta },
        requestId: created.body.meta.requestId,
      },
      { ...asked, input: api, answer: { data: { keys: 1 }, pagination: { hasMore: false } } },
      {
        ...asked,
        ...refusal,
        input: { apiId: "api_none" },
        answer: refused.body,
        hint: refused.headers.get("x-latchkey-hint"),
        requestId: refused.body.meta.requestId,
      },
      { version: "v1", code: "NOT_FOUND", type: undefined },
    ]);
  });
});

describe("own operations", () => {
  const tell = defineOperation({
    version: "v2",
    contract: {
      name: "tests.tell",
      method: "POST",
      path: "/tell",
      input: z.object({ text: z.string().min(1) }),
      output: z.object({ data: z.object({ text: z.string() }) }),
    },
    run: ({ input }) => ({ data: { text: input.text } }),
  });

  test("a user's operation of v2 at a path outside any prefix answers and refuses as v2 does", async () => {
    const emulator = await givenEmulator({ operations: [tell] });

    const told = await post(emulator, "/tell", { text: "<a>" });
    const refused = await post(emulator, "/tell", { text: "" });
    const locked = await post(emulator, "/tell", { text: "a" }, { token: null });
    const wrong = await send(emulator, request("/tell", "GET"));

    expect(told.body).toEqual({ data: { text: "<a>" }, meta: { requestId: expect.any(String) } });
    expect(told.headers.get("unkey-request-id")).toBeNull();
    expect([refused.status, refused.body.error.errors]).toEqual([
      400,
      [{ location: "/properties/text/minLength", message: "minLength: got 0, want 1" }],
    ]);
    expect([locked.status, locked.body.error.type]).toEqual([
      400,
      `${DOCS}unkey/application/invalid_input`,
    ]);
    expect([wrong.status, wrong.body.error.title]).toEqual([405, "Method Not Allowed"]);
    expect(emulator.requests.count({ version: "v2" })).toBe(4);
  });

  test("a user's operation of v2 is in the document of v2 only, and is hit by faults of v2", async () => {
    const emulator = await givenEmulator({ operations: [tell] });
    emulator.faults.add({ operation: "tests.tell", version: "v2", status: 503 });

    expect((await post(emulator, "/tell", { text: "a" })).status).toBe(503);
    expect((await emulator.openapi("v2"))["paths"]).toHaveProperty("/tell");
    expect((await emulator.openapi("v1"))["paths"]).not.toHaveProperty("/tell");
  });

  test("a user's operation of v2 may have the name of an operation of v1", async () => {
    const twin = defineOperation({
      ...tell,
      contract: { ...tell.contract, path: "/v1/tell" },
      version: "v1",
    });
    const emulator = await givenEmulator({ operations: [twin, tell] });

    const hasHeader = async (path: string) =>
      (await post(emulator, path, { text: "a" })).headers.has("unkey-request-id");

    expect([await hasHeader("/v1/tell"), await hasHeader("/tell")]).toEqual([true, false]);
  });
});

describe("the quirk random-ids", () => {
  const ID = /^(?:key|id|req)_[a-zA-Z0-9]{9}$/;

  test("the quirk random-ids makes ids of v2's form from the seed, which sort at random", async () => {
    const idsOf = async (randomSeed: number) => {
      const emulator = await givenEmulator({ quirks: ["random-ids"], randomSeed });
      const made: string[] = [];
      for (let index = 0; index < 20; index += 1) {
        const { body } = await createKeyV2(emulator, { ...api, externalId: `user_${index}` });
        made.push(body.data.keyId);
        expect(body.meta.requestId).toMatch(ID);
      }
      return { emulator, made };
    };
    const { emulator, made } = await idsOf(1);

    const pages = await listAllV2(emulator, { ...api, limit: 3 });
    const listed = pages.map(({ keyId }) => keyId);

    for (const id of made) expect(id).toMatch(ID);
    for (const { id } of emulator.identities.all()) expect(id).toMatch(ID);
    expect(new Set(made).size).toBe(20);
    expect(listed.toSorted()).toEqual(made.toSorted());
    expect(listed).not.toEqual(made);
    expect((await idsOf(1)).made).toEqual(made);
    expect((await idsOf(2)).made).not.toEqual(made);
    const v1 = await listKeys(emulator, api);
    expect(v1.body.keys.map(({ id }: { id: string }) => id)).toEqual(listed);
  });

  test("the quirk random-ids makes other ids after a snapshot than before it", async () => {
    const quirks = ["random-ids"] as const;
    const emulator = await givenEmulator({ quirks });
    const first = (await createKeyV2(emulator, api)).body.data.keyId;
    const copy = await givenEmulator({ quirks, fixtures: [emulator.snapshot()] });

    const [next, same] = [await createKeyV2(emulator, api), await createKeyV2(copy, api)];

    expect(same.body.data).toEqual(next.body.data);
    expect(next.body.data.keyId).not.toBe(first);
  });
});

describe("OpenAPI documents", () => {
  const documentAt = async (emulator: Emulator, query: string) =>
    (await send(emulator, request(`/_latchkey/operations.json${query}`, "GET"))).body;

  test("the default OpenAPI document describes v2", async () => {
    const emulator = await givenEmulator();
    const document = JSON.parse(JSON.stringify(await emulator.openapi("v2")));
    expect(JSON.parse(JSON.stringify(await emulator.openapi()))).toEqual(document);
    expect(await documentAt(emulator, "")).toEqual(document);
  });

  test.each(["v1", "v2"] as const)(
    "the control route sends the OpenAPI document of %s, which has its operations",
    async (version) => {
      const { paths } = await documentAt(await givenEmulator(), `?version=${version}`);

      expect(paths).toHaveProperty([`/${version}/keys.createKey`]);
      expect(Object.keys(paths).every((path) => path.startsWith(`/${version}/`))).toBe(true);
    },
  );

  test("the control route refuses an unknown version of the OpenAPI document", async () => {
    const unknown = request("/_latchkey/operations.json?version=v3", "GET");
    expect((await send(await givenEmulator(), unknown)).status).toBe(400);
  });
});

import { unkey as protect, type UnkeyContext } from "@unkey/hono";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { connect2, connectNewer } from "../_clients.ts";
import { fixtures, MIDNIGHT, MINUTE } from "../_life.ts";
import { leadHere, overHttp, type Reached } from "../_reach.ts";

/** An emulator that gets the calls of the middleware, whose URL cannot be set. */
async function given(): Promise<Reached> {
  const reached = await overHttp({ fixtures, strict: true });
  leadHere(reached);
  return reached;
}

test("the middleware @unkey/hono lets in who has a valid key with its permission", async () => {
  const reached = await given();
  const client = connectNewer(reached.url);
  const guest = await client.create();
  const reader = await client.create({
    name: "reader",
    permissions: ["documents.read"],
    uses: { left: 2, daily: 2 },
  });
  const app = givenApp("root");

  const before = [
    await getPage(app),
    await getPage(app, "nothing"),
    await getPage(app, guest.key),
    await getPage(app, reader.key),
    await getPage(app, reader.key),
    await getPage(app, reader.key),
  ];
  reached.emulator.clock.set(MIDNIGHT);
  const next = await getPage(app, reader.key);
  await client.delete(reader.keyId);

  expect(before).toEqual([
    [401, '{"error":"unauthorized"}'],
    [403, "NOT_FOUND"],
    [403, "INSUFFICIENT_PERMISSIONS"],
    [200, "reader has 1 left"],
    [200, "reader has 0 left"],
    [403, "USAGE_EXCEEDED"],
  ]);
  expect(next).toEqual([200, "reader has 1 left"]);
  expect(await getPage(app, reader.key)).toEqual([403, "NOT_FOUND"]);
});

test("the middleware @unkey/hono refuses the keys of an identity together once it has a limit", async () => {
  const reached = await given();
  const { identities, keys } = connect2(reached.url);
  const { data } = await identities.createIdentity({ externalId: "org_1" });
  const request = { apiId: "api_pay", externalId: "org_1", permissions: ["documents.read"] };
  const { data: one } = await keys.createKey({ ...request, name: "one" });
  const { data: two } = await keys.createKey({ ...request, name: "two" });
  const app = givenApp("root");

  const free = [await getPage(app, one.key), await getPage(app, one.key)];
  const limit = { name: "calls", limit: 2, duration: MINUTE, autoApply: true };
  await identities.updateIdentity({ identity: "org_1", ratelimits: [limit] });
  const owner = await getPage(app, one.key, "/owner");
  const limited = [await getPage(app, two.key), await getPage(app, one.key)];

  expect(free).toEqual([
    [200, "one has any left"],
    [200, "one has any left"],
  ]);
  expect(owner[0]).toBe(200);
  expect(JSON.parse(owner[1])).toEqual({
    id: data.identityId,
    externalId: "org_1",
    ratelimits: [{ ...limit, id: expect.stringMatching(/^rl_/) }],
  });
  expect(limited).toEqual([
    [200, "two has any left"],
    [403, "RATE_LIMITED"],
  ]);
});

test("the middleware @unkey/hono repeats a call that fails, and throws if its token is refused", async () => {
  const reached = await given();
  const permissions = ["documents.read"];
  const { key } = await connectNewer(reached.url).create({ name: "reader", permissions });

  reached.emulator.faults.add({ operation: "keys.verifyKey", status: 503, times: 1 });
  const repeated = await getPage(givenApp("root"), key);
  const count = reached.emulator.requests.count({ operation: "keys.verifyKey" });
  const refused = await getPage(givenApp("nobody"), key);

  expect(repeated).toEqual([200, "reader has any left"]);
  expect(count).toBe(2);
  expect(refused).toEqual([500, "UnauthorizedErrorResponse"]);
});

test("an app of Hono has an emulator below a path", async () => {
  const { emulator } = await overHttp();
  const app = new Hono().mount("/api/unkey", emulator.fetch);

  expect((await app.request("/api/unkey/v2/liveness")).status).toBe(200);
});

/** An app, all of whose pages ask for a permission. */
function givenApp(rootKey: string) {
  const app = new Hono<{ Variables: { unkey: UnkeyContext } }>();
  app.use(
    protect({
      rootKey,
      permissions: "documents.read",
      handleInvalidKey: (context, { data }) => context.text(data.code, 403),
    }),
  );
  app.get("/", (context) => {
    const { data } = context.get("unkey");
    return context.text(`${data.name} has ${data.credits ?? "any"} left`);
  });
  app.get("/owner", (context) => context.json(context.get("unkey").data.identity));
  app.onError((error, context) => context.text(error.name, 500));
  return app;
}

async function getPage(
  app: ReturnType<typeof givenApp>,
  key?: string,
  path = "/",
): Promise<readonly [status: number, text: string]> {
  const headers: Record<string, string> =
    key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const response = await app.request(path, { headers });
  return [response.status, await response.text()];
}

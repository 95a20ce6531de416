import { expect, test } from "vitest";
import { createGateway, type Policy } from "../../src/gateway.ts";
import { NOW } from "../_emulator.ts";
import { givenGateway } from "./_gateway.ts";

type Sources = NonNullable<NonNullable<Policy["ratelimit"]>["identifiers"]>;
const limited = (identifiers: Sources, limit = 1): Policy => ({
  ratelimit: { limit, windowMs: 60_000, identifiers },
});

test.each<[string, Sources, [string, Record<string, string>?], [string, Record<string, string>?]]>([
  ["a path", [{ path: {} }], ["/a"], ["/b"]],
  ["a header", [{ header: { name: "X-Id" } }], ["/", { "X-Id": "a" }], ["/", { "x-id": "b" }]],
  [
    "several values in order",
    [{ header: { name: "X-Id" } }, { path: {} }],
    ["/a", { "X-Id": "b" }],
    ["/b", { "X-Id": "a" }],
  ],
  [
    "values with a colon",
    [{ header: { name: "X-A" } }, { header: { name: "X-B" } }],
    ["/", { "X-A": "a:b", "X-B": "c" }],
    ["/", { "X-A": "a", "X-B": "b:c" }],
  ],
  [
    "values with a backslash",
    [{ header: { name: "X-A" } }, { header: { name: "X-B" } }],
    ["/", { "X-A": "a\\", "X-B": "c" }],
    ["/", { "X-A": "a", "X-B": "\\:c" }],
  ],
  ["an unknown value among others", [{ authenticatedSubject: {} }, { path: {} }], ["/a"], ["/b"]],
])("%s is an identifier", async (_, identifiers, one, other) => {
  const { ask } = await givenGateway({ policies: [limited(identifiers)] });

  expect([(await ask(...one)).status, (await ask(...one)).status]).toEqual([200, 429]);
  expect((await ask(...other)).status).toBe(200);
});

test("a missing value counts as `unknown`", async () => {
  const identifiers = [{ header: { name: "X-Id" } }, { path: {} }];
  const { ask } = await givenGateway({ policies: [limited(identifiers)] });

  expect((await ask("/a")).status).toBe(200);
  expect((await ask("/a", { "X-Id": "unknown" })).status).toBe(429);
});

test.each<[string, Sources]>([
  ["no source", []],
  ["a missing header", [{ header: { name: "X-Missing" } }]],
  ["a subject without a principal", [{ authenticatedSubject: {} }]],
  ["a field without a principal", [{ principalField: { path: "subject" } }]],
  ["two missing values", [{ header: { name: "X-Missing" } }, { authenticatedSubject: {} }]],
  ["an empty source", [{}]],
])("a request is refused without being counted: %s", async (_, identifiers) => {
  const { ask, seen } = await givenGateway({ policies: [limited(identifiers, 100)] });

  const { code, headers, hint, status } = await ask();
  expect([status, code]).toEqual([429, "err:frontline:client:rate_limited"]);
  expect(headers.has("X-RateLimit-Limit")).toBe(false);
  expect(hint).toBe("policy_1: the request has none of the policy's identifiers");
  expect(seen).toEqual([]);
});

test("the member `identifier` of older files is read", async () => {
  const policies = [{ ratelimit: { limit: 1, windowMs: 60_000, identifier: { path: {} } } }];
  const { ask } = await givenGateway({ policies });

  expect([(await ask()).status, (await ask()).status]).toEqual([200, 429]);
});

test("all clients in process have the same address", async () => {
  const { ask } = await givenGateway({ policies: [limited([{ remoteIp: {} }])] });

  expect([(await ask("/a")).status, (await ask("/b")).status]).toEqual([200, 429]);
});

test.each<[Sources[number], number[]]>([
  [{ authenticatedSubject: {} }, [200, 200, 429]],
  [{ principalField: { path: "source.key.keySpaceId" } }, [200, 429, 429]],
  [{ principalField: { path: "identity.meta.plan" } }, [429, 200, 429]],
  [{ principalField: { path: "identity.meta" } }, [429, 429, 429]],
  [{ principalField: { path: "source.key.toString" } }, [429, 429, 429]],
])("the identifier is read from the principal: %j", async (source, statuses) => {
  const { askWith } = await givenGateway({ policies: [{ keyauth: {} }, limited([source])] });

  const answers = [await askWith("ord_good"), await askWith("ord_acme"), await askWith("ord_acme")];
  expect(answers.map(({ status }) => status)).toEqual(statuses);
});

test("a limit is a sliding window by the emulator's clock, and a reset clears it", async () => {
  const { ask, emulator } = await givenGateway({ policies: [limited([{ path: {} }], 2)] });

  const first = await ask();
  expect(first.headers.get("X-RateLimit-Limit")).toBe("2");
  expect(first.headers.get("X-RateLimit-Remaining")).toBe("1");
  expect(first.headers.get("X-RateLimit-Reset")).toBe(String(NOW / 1_000 + 60));
  expect(first.headers.has("Retry-After")).toBe(false);
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 429]);
  // As in ratelimit.limit: in the middle of a window, half of the previous one counts.
  emulator.clock.advance(90_000);
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 429]);
  await emulator.reset();
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
});

test("a limit creates no namespace, and makes no call of the emulator", async () => {
  const { ask, emulator } = await givenGateway({ policies: [limited([{ path: {} }])] });

  await ask();
  expect([emulator.ratelimitNamespaces.count(), emulator.requests.count()]).toEqual([0, 0]);
});

test("two gateways count separately, and two routes with one policy count together", async () => {
  const policies: Policy[] = [{ ...limited([{ path: {} }]), id: "per_path" }];
  const { ask, emulator } = await givenGateway({ policies });
  const upstream = () => new Response("");
  const gateway = createGateway(emulator, {
    routes: ["a.test", "b.test"].map((hostname) => ({ hostname, upstream, policies })),
  });
  const statusAt = async (host: string) =>
    (await gateway.fetch(new Request(`http://${host}/orders`))).status;

  expect((await ask()).status).toBe(200);
  expect([await statusAt("a.test"), await statusAt("b.test")]).toEqual([200, 429]);
});

test("the headers are those of the strictest limit of all policies", async () => {
  const policy = (windowMs: number, limit: number, prefix: string): Policy => ({
    ratelimit: { limit, windowMs, identifiers: [{ path: {} }] },
    match: [{ path: { path: { prefix } } }],
  });
  const { ask } = await givenGateway({
    policies: [policy(60_000, 5, "/"), policy(60_000, 2, "/few"), policy(3_600_000, 2, "/few")],
  });
  const limitsOf = async (path: string) => {
    const { headers, status } = await ask(path);
    return [status, headers.get("X-RateLimit-Limit"), headers.get("X-RateLimit-Remaining")];
  };

  expect(await limitsOf("/few")).toEqual([200, "2", "1"]);
  expect(await limitsOf("/many")).toEqual([200, "5", "4"]);
  expect(await limitsOf("/few")).toEqual([200, "2", "0"]);
  const { headers, status } = await ask("/few");
  expect([status, headers.get("Retry-After")]).toEqual([429, "60"]);
});

test("the headers are those of the limit that refused, although another has fewer uses left", async () => {
  const { askWith } = await givenGateway({
    policies: [
      { keyauth: {} },
      { ratelimit: { limit: 0, windowMs: 3_600_000, identifiers: [{ path: {} }] } },
    ],
  });

  const { headers, hint, status } = await askWith("ord_limited");
  expect([status, headers.get("X-RateLimit-Limit"), headers.get("Retry-After")]).toEqual([
    429,
    "0",
    "3600",
  ]);
  expect(hint).toBe(
    "policy_2: more than 0 in 3600000 ms; the window ends at 2026-01-01T01:00:00.000Z",
  );
});

test("if two limits of a key refuse, the headers are those of the later reset", async () => {
  const limit = (name: string, duration: number) => ({ name, limit: 1, duration });
  const ratelimits = [limit("minute", 60_000), limit("hour", 3_600_000), limit("ten", 600_000)];
  const { askWith } = await givenGateway({ policies: [{ keyauth: { ratelimits } }] });

  await askWith("ord_good");
  const { headers, status } = await askWith("ord_good");
  expect([status, headers.get("Retry-After")]).toEqual([429, "3600"]);
});

test("X-RateLimit-Reset is in whole seconds, rounded down", async () => {
  const windowMs = 2_700;
  const { ask } = await givenGateway({
    policies: [{ ratelimit: { limit: 1, windowMs, identifiers: [{ path: {} }] } }],
  });

  const end = (Math.floor(NOW / windowMs) + 1) * windowMs;
  expect(end % 1_000).not.toBe(0);
  expect((await ask()).headers.get("X-RateLimit-Reset")).toBe(String(Math.floor(end / 1_000)));
});

test("Retry-After is at least a second, and rounded up", async () => {
  const { ask, emulator } = await givenGateway({
    policies: [{ ratelimit: { limit: 0, windowMs: 60_000, identifiers: [{ path: {} }] } }],
  });

  emulator.clock.set(NOW + 500);
  expect((await ask()).headers.get("Retry-After")).toBe("60");
  emulator.clock.set(NOW + 59_999);
  expect((await ask()).headers.get("Retry-After")).toBe("1");
});

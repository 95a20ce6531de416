import { expect, test } from "vitest";
import { connect2 } from "../_clients.ts";
import { calls, everything } from "../_every-operation.ts";
import { overHttp } from "../_reach.ts";

type Method = (input: unknown) => Promise<{ readonly data?: unknown; readonly result?: unknown }>;

/** Operations of the service that the client does not have. */
const NEWER = /permissions\.update/;

test.each(
  calls
    .filter(([path]) => path.startsWith("/v2/") && !NEWER.test(path))
    .map(([path, input]) => [path.slice(4), input]),
)("the public client 2.5.1 calls %s, and reads the reply: case %#", async (name, input) => {
  const { emulator, url } = await overHttp({ fixtures: [everything] });
  const [group = "", method = ""] = String(name).split(".");
  const client = connect2(url) as unknown as Record<string, Record<string, Method>>;

  const reply = await client[group]?.[method]?.(input);

  const [request] = emulator.requests.list();
  expect(request).toMatchObject({ operation: name, status: 200 });
  // The client checks each reply against its own schema, and throws if a member does not fit.
  expect(reply?.result ?? reply).toHaveProperty("meta.requestId", request?.requestId);
});

test("lists of the public client 2.5.1 go on over all pages", async () => {
  const names = ["a_1", "a_2", "a_3", "a_4", "a_5"];
  const overrides = names.map((identifier) => ({ identifier, limit: 1, duration: 1_000 }));
  const { url } = await overHttp({
    fixtures: [
      {
        identities: names.map((externalId) => ({ externalId })),
        permissions: names,
        roles: names.map((name) => ({ name })),
        ratelimitNamespaces: [{ name: "mail", overrides }],
      },
    ],
  });
  const { identities, permissions, ratelimit } = connect2(url);
  const sizes = async (pages: AsyncIterable<{ result: { data: readonly unknown[] } }>) => {
    const found: number[] = [];
    for await (const { result } of pages) found.push(result.data.length);
    return found;
  };

  const limit = 2;
  expect(await sizes(await identities.listIdentities({ limit }))).toEqual([2, 2, 1]);
  expect(await sizes(await identities.listIdentities({ limit, search: "A_1" }))).toEqual([1]);
  expect(await sizes(await permissions.listPermissions({ limit }))).toEqual([2, 2, 1]);
  expect(await sizes(await permissions.listRoles({ limit }))).toEqual([2, 2, 1]);
  const request = { namespace: "mail", limit };
  expect(await sizes(await ratelimit.listOverrides(request))).toEqual([2, 2, 1]);
});

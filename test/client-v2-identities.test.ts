import { expect, test } from "vitest";
import { connect2 } from "./_clients.ts";
import { overHttp } from "./_reach.ts";

const requestId = expect.stringMatching(/^req_/);
const calls = { name: "calls", limit: 5, duration: 60_000, autoApply: true };

test("an identity is created, and is the same by its id and by its external id", async () => {
  const { identities } = connect2((await overHttp()).url);
  // The client sends `autoApply: false` with it.
  const jobs = { name: "jobs", limit: 9, duration: 1_000 };

  const created = await identities.createIdentity({
    externalId: "org_1",
    meta: { plan: "pro", seats: [1, null] },
    ratelimits: [calls, jobs],
  });
  const id = created.data.identityId;
  const byName = await identities.getIdentity({ identity: "org_1" });
  const byId = await identities.getIdentity({ identity: id });

  expect(created).toEqual({
    meta: { requestId },
    data: { identityId: expect.stringMatching(/^id_/) },
  });
  expect(byId.data).toEqual({
    id,
    externalId: "org_1",
    meta: { plan: "pro", seats: [1, null] },
    ratelimits: [
      { ...calls, id: expect.stringMatching(/^rl_/) },
      { ...jobs, autoApply: false, id: expect.stringMatching(/^rl_/) },
    ],
  });
  expect(byName.data).toEqual(byId.data);
});

test("an update replaces the rate limits, keeps the id of one whose name stays, and keeps the data", async () => {
  const { identities } = connect2((await overHttp()).url);
  await identities.createIdentity({
    externalId: "org_1",
    meta: { plan: "pro" },
    ratelimits: [calls, { ...calls, name: "gone" }],
  });
  const before = await identities.getIdentity({ identity: "org_1" });

  const updated = await identities.updateIdentity({
    identity: "org_1",
    ratelimits: [{ ...calls, limit: 7 }],
  });
  const after = await identities.getIdentity({ identity: "org_1" });

  const { id, externalId, ratelimits: [first] = [] } = before.data;
  const ratelimits = [{ ...first, limit: 7 }];
  expect(updated.data).toEqual({ id, externalId, meta: { plan: "pro" }, ratelimits });
  expect(after.data).toEqual(updated.data);
});

test("a deletion is answered without data, and the external id is free again", async () => {
  const { identities } = connect2((await overHttp()).url);
  const { data: old } = await identities.createIdentity({ externalId: "org_1" });

  const deleted = await identities.deleteIdentity({ identity: old.identityId });
  const { data: fresh } = await identities.createIdentity({ externalId: "org_1" });

  expect(deleted).toEqual({ meta: { requestId } });
  expect(fresh.identityId).not.toBe(old.identityId);
});

test("a list goes on over all pages, and a search over those that match", async () => {
  const { identities } = connect2((await overHttp()).url);
  const ids = new Map<string, string>();
  for (const name of ["acme_1", "acme_2", "acme_3", "other_1", "other_2"]) {
    const { data } = await identities.createIdentity({ externalId: name });
    ids.set(name, data.identityId);
  }
  const list = async (request: { limit?: number; search?: string }) => {
    const pages: string[][] = [];
    for await (const { result } of await identities.listIdentities(request)) {
      pages.push(result.data.map(({ id }) => id));
    }
    return pages;
  };

  const all = await list({ limit: 2 });
  const found = await list({ limit: 2, search: "ACME" });

  expect(all.map((page) => page.length)).toEqual([2, 2, 1]);
  expect(all.flat()).toEqual([...ids.values()].toSorted());
  expect(found.map((page) => page.length)).toEqual([2, 1]);
  expect(new Set(found.flat())).toEqual(
    new Set(["acme_1", "acme_2", "acme_3"].map((name) => ids.get(name))),
  );
});

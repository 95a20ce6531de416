/**
 * Makes calls to the demo: uses a key until its rate limit refuses, nearly uses up a limit, is refused for
 * want of a permission, and makes a mistake.
 * @param {(operation: string, body: object, token?: string) => Promise<any>} call makes a call of v2, and
 *   resolves to the body of its reply
 */
// oxlint-disable-next-line import/no-default-export -- `latchkey site --calls` takes it
export default async function makeDemoCalls(call) {
  const apiId = "api_payments";
  const { data } = await call("keys.createKey", {
    apiId,
    name: "Nightly export",
    externalId: "org_bluebird",
    roles: ["merchant"],
    credits: { remaining: 1000, refill: { interval: "daily", amount: 1000 } },
    ratelimits: [{ name: "requests", limit: 5, duration: 60_000, autoApply: true }],
  });
  for (let use = 0; use < 6; use += 1) await call("keys.verifyKey", { key: data.key });
  const email = { namespace: "email", limit: 10, duration: 3_600_000 };
  for (let use = 0; use < 9; use += 1) {
    await call("ratelimit.limit", { ...email, identifier: "org_bluebird" });
  }
  await call("ratelimit.setOverride", { ...email, identifier: "org_velora", limit: 100 });
  await call("ratelimit.limit", { ...email, identifier: "org_velora" });
  await call("keys.createKey", { apiId, name: "Refused" }, "acme_reader");
  // The mistake: a cursor of one list is sent for another one.
  const { pagination } = await call("apis.listKeys", { apiId, limit: 10 });
  await call("apis.listKeys", { apiId: "api_internal", cursor: pagination.cursor });
}

import { afterEach, expect, test, vi } from "vitest";
import { Ratelimit as OlderRatelimit } from "unkey-ratelimit-0.5";
import { Overrides, Ratelimit } from "unkey-ratelimit-2";
import { NOW } from "../_emulator.ts";
import { overHttp, type Reached } from "../_reach.ts";

const MINUTE = 60_000;

/** A limiter of two calls in a minute. */
function limiterOf({ url }: Reached, more: object = {}): Ratelimit {
  const settings = { rootKey: "root", namespace: "mail", limit: 2, duration: "1m" as const };
  return new Ratelimit({ ...settings, baseUrl: url, ...more });
}

/** Sets the clocks of the emulator and the client, which keeps refusals until their `reset`. */
function moveClocks({ emulator }: Reached, now: number): void {
  emulator.clock.set(now);
  vi.setSystemTime(now);
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("counts down in a namespace that its first call creates", async () => {
  const reached = await overHttp();
  const limiter = limiterOf(reached);

  const results = [await limiter.limit("user_1"), await limiter.limit("user_1")];

  const reset = Math.ceil((NOW + 1) / MINUTE) * MINUTE;
  expect(results).toEqual([
    { limit: 2, remaining: 1, reset, success: true },
    { limit: 2, remaining: 0, reset, success: true },
  ]);
  const [namespace] = reached.emulator.ratelimitNamespaces.all();
  expect(namespace).toMatchObject({ name: "mail", id: expect.stringMatching(/^rlns_/) });
});

test("is allowed again when both clocks have passed the two windows of a refusal", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  const reached = await overHttp();
  const limiter = limiterOf(reached);
  await limiter.limit("user_1", { cost: 2 });
  const { reset, success } = await limiter.limit("user_1");
  expect(success).toBe(false);

  // The client has kept the refusal, and asks again only when its own clock has passed `reset`.
  reached.emulator.clock.set(reset + 2 * MINUTE);
  const kept = await limiter.limit("user_1");
  moveClocks(reached, reset + 2 * MINUTE);
  const asked = await limiter.limit("user_1");

  expect([kept.success, asked.success]).toEqual([false, true]);
});

test("throws an error that names the missing right to create a namespace", async () => {
  const tokens = [{ token: "root", permissions: ["ratelimit.*.limit"] }];
  const reached = await overHttp({ fixtures: [{ tokens }] });

  const call = limiterOf(reached).limit("user_1");

  await expect(call).rejects.toThrow("ratelimit.*.create_namespace");
  expect(reached.emulator.ratelimitNamespaces.all()).toEqual([]);
});

test("is refused by an override that bans, and allowed when it is deleted", async () => {
  const reached = await overHttp();
  const overrides = new Overrides({ rootKey: "root", baseUrl: reached.url });
  const ban = { namespace: "mail", identifier: "user_*" };
  await limiterOf(reached).limit("someone");
  const { data } = await overrides.setOverride({ ...ban, limit: 0, duration: MINUTE });

  const banned = await limiterOf(reached).limit("user_1");
  const read = await overrides.getOverride(ban);
  const listed = await overrides.listOverrides({ namespace: "mail" });
  await overrides.deleteOverride(ban);
  const allowed = await limiterOf(reached).limit("user_1");

  const record = { ...ban, ...data, limit: 0, duration: MINUTE } as Record<string, unknown>;
  delete record["namespace"];
  expect(banned).toMatchObject({ success: false, limit: 0, overrideId: data.overrideId });
  expect(read.data).toEqual(record);
  expect(listed.data).toEqual([record]);
  expect(allowed).toMatchObject({ success: true, limit: 2, remaining: 1 });
});

const older = ({ url }: Reached) =>
  new OlderRatelimit({
    rootKey: "root",
    baseUrl: url,
    namespace: "mail",
    limit: 2,
    duration: "60s",
    async: true,
    disableTelemetry: true,
  });

test("counts down in a fixed window, and starts over with the next one", async () => {
  const reached = await overHttp();
  const limiter = older(reached);
  const options = { meta: { plan: "pro" }, resources: [{ type: "project", id: "p_1" }] };

  const results = [];
  for (let call = 0; call < 3; call += 1) results.push(await limiter.limit("user_1", options));
  reached.emulator.clock.set(results[0]?.reset ?? 0);
  results.push(await limiter.limit("user_1", options));

  expect(results.map(({ success, remaining }) => [success, remaining])).toEqual([
    [true, 1],
    [true, 0],
    [false, 0],
    [true, 1],
  ]);
});

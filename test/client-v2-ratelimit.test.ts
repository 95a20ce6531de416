import { expect, test } from "vitest";
import { connect2 } from "./_clients.ts";
import { NOW } from "./_emulator.ts";
import { overHttp } from "./_reach.ts";

const MINUTE = 60_000;
const reset = NOW + MINUTE;
const request = { namespace: "mail", identifier: "user_1", limit: 2, duration: MINUTE };

test("a limit counts down, refuses, and is free again after two windows", async () => {
  const { emulator, url } = await overHttp();
  const { ratelimit } = connect2(url);

  const answers = [
    await ratelimit.limit(request),
    await ratelimit.limit({ ...request, cost: 0 }),
    await ratelimit.limit(request),
    await ratelimit.limit(request),
  ];
  emulator.clock.set(NOW + 2 * MINUTE);
  const free = await ratelimit.limit(request);

  expect(answers.map(({ data }) => data)).toEqual([
    { limit: 2, remaining: 1, reset, success: true },
    { limit: 2, remaining: 1, reset, success: true },
    { limit: 2, remaining: 0, reset, success: true },
    { limit: 2, remaining: 0, reset, success: false },
  ]);
  expect(free.data).toEqual({ limit: 2, remaining: 1, reset: reset + 2 * MINUTE, success: true });
});

test("of several limits at once, none counts if one is exceeded", async () => {
  const { ratelimit } = connect2((await overHttp()).url);
  const single = { ...request, namespace: "sms", limit: 1 };

  const passed = await ratelimit.multiLimit([request, single]);
  const refused = await ratelimit.multiLimit([request, single]);
  const { data: next } = await ratelimit.limit(request);

  const mail = { namespace: "mail", identifier: "user_1", limit: 2, reset };
  const sms = { namespace: "sms", identifier: "user_1", limit: 1, reset };
  expect(passed.data).toEqual({
    passed: true,
    limits: [
      { ...mail, passed: true, remaining: 1 },
      { ...sms, passed: true, remaining: 0 },
    ],
  });
  expect(refused.data).toEqual({
    passed: false,
    limits: [
      { ...mail, passed: true, remaining: 1 },
      { ...sms, passed: false, remaining: 0 },
    ],
  });
  expect(next).toMatchObject({ success: true, remaining: 0 });
});

test("an override is set, found by what it matches, changed under its id, and deleted", async () => {
  const { ratelimit } = connect2((await overHttp()).url);
  await ratelimit.limit({ ...request, cost: 0 });
  const pattern = { namespace: "mail", identifier: "user_*" };

  const { data: set } = await ratelimit.setOverride({ ...pattern, limit: 9, duration: MINUTE });
  const { data: found } = await ratelimit.getOverride({ ...pattern, identifier: "user_1" });
  const { data: again } = await ratelimit.setOverride({ ...pattern, limit: 5, duration: 1_000 });
  const { data: limited } = await ratelimit.limit(request);
  const deleted = await ratelimit.deleteOverride(pattern);
  const { data: free } = await ratelimit.limit(request);

  const overrideId = expect.stringMatching(/^rlor_/);
  expect(set).toEqual({ overrideId });
  expect(found).toEqual({ ...set, identifier: "user_*", limit: 9, duration: MINUTE });
  expect(again).toEqual(set);
  expect(limited).toMatchObject({ ...set, limit: 5, remaining: 4, reset: NOW + 1_000 });
  expect(deleted.data).toEqual({});
  expect(free).toEqual({ limit: 2, remaining: 1, reset, success: true });
});

test("a list of overrides goes on over all pages, of ten overrides unless the call says otherwise", async () => {
  const identifiers = Array.from({ length: 12 }, (_item, index) => `user_${index + 10}`);
  const overrides = identifiers.map((identifier) => ({ identifier, limit: 1, duration: 1_000 }));
  const fixtures = [{ ratelimitNamespaces: [{ name: "mail", overrides }] }];
  const { ratelimit } = connect2((await overHttp({ fixtures })).url);

  const pages: string[][] = [];
  for await (const { result } of await ratelimit.listOverrides({ namespace: "mail" })) {
    pages.push(result.data.map(({ identifier }) => identifier));
  }

  expect(pages.map((page) => page.length)).toEqual([10, 2]);
  expect(pages.flat().toSorted()).toEqual(identifiers);
});

import { expect, test } from "vitest";
import { orders, type OrdersOptions, type OrdersWorld, SweepError } from "../../src/sweep.ts";
import { main, shop } from "./_programs.ts";

/** Has no timeout, because `orders` holds the calls. */
async function call(url: string, operation: string, input: object) {
  const response = await fetch(`${url}/v2/${operation}`, {
    method: "POST",
    headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
    body: JSON.stringify(input),
  });
  const { status } = response;
  if (!response.ok) throw Object.assign(new Error(`status ${status}`), { status });
  return (await response.json()).data;
}

/** Creates the key of an owner unless it exists. */
async function ensure({ url }: OrdersWorld): Promise<void> {
  const { apiId, externalId } = main;
  const keys = await call(url, "apis.listKeys", { apiId, externalId });
  if (keys.length === 0) await call(url, "keys.createKey", main);
}

const failureOf = (program: (world: OrdersWorld) => unknown, options: OrdersOptions = {}) =>
  orders(program, { fixtures: [shop], ...options }).then(
    (text) => new Error(`passed: ${text}`),
    (error: unknown) => error as SweepError,
  );

test("orders finds that 'list, create if none' creates two keys in four of six orders", async () => {
  const error = await failureOf(ensure);

  expect(error).toBeInstanceOf(SweepError);
  expect((error as SweepError).cases).toHaveLength(4);
  expect(error.message.trim()).toBe(
    [
      "2 runs at once, 6 orders of their calls: 4 wrong",
      "",
      "4 orders, like run 1 apis.listKeys, run 2 apis.listKeys, run 1 keys.createKey, run 2 keys.createKey",
      '  leaves 2 keys "main" of user_9 instead of 1',
      "  change: let the service decide: make one call and handle its refusal, or hold a lock around these calls",
      "  again:  with the option order: [1, 2, 1, 2]",
    ].join("\n"),
  );
});

test("orders tries a given order, and at most `most` orders", async () => {
  const one = await failureOf(ensure, { order: [1, 2, 1, 2] });
  const right = await orders(ensure, { fixtures: [shop], order: [1, 1, 2] });
  const few = await failureOf(ensure, { most: 2, runs: 3 });

  expect(one.message).toContain("2 runs at once, 1 order of their calls: 1 wrong");
  expect(right).toBe("2 runs at once, 1 order of their calls: 0 wrong");
  expect(few.message).toContain("\nMore orders were not tried, because of `most`.");
});

test("orders finds a run that fails in four of six orders", async () => {
  const error = await failureOf(
    async ({ url }) => {
      const { externalId } = main;
      const known = await call(url, "identities.listIdentities", {});
      if (known.length === 0) await call(url, "identities.createIdentity", { externalId });
    },
    { fixtures: [{}] },
  );

  expect((error as SweepError).cases).toHaveLength(4);
  expect(error.message).toMatch(/\n4 orders, like .*\n  a run fails: Error: status 409\n/);
});

test("orders finds nothing if the service decides and the program handles the refusal", async () => {
  const program = ({ url }: OrdersWorld) =>
    call(url, "identities.createIdentity", { externalId: "user_9" }).catch((error) => {
      if (error.status !== 409) throw error;
    });

  expect(await orders(program)).toBe("2 runs at once, 2 orders of their calls: 0 wrong");
});

test("orders goes on without a run that waits for another run, and reports it", async () => {
  let open = () => {};
  let gate = new Promise<void>((resolve) => (open = resolve));
  const program = async ({ run, url }: OrdersWorld) => {
    if (run === 2) await gate;
    await call(url, "apis.getApi", { apiId: "api_shop" });
    if (run === 1) open();
    else gate = new Promise((resolve) => (open = resolve));
  };

  const text = await orders(program, { fixtures: [shop] });

  expect(text).toContain(
    " 0 wrong\nA run made no call for 200 ms, and the others went on without it.",
  );
});

test("orders refuses invalid options, and a program that fails in sequence", async () => {
  const failing = await failureOf(() => Promise.reject(new Error("broken")));

  expect((await failureOf(ensure, { runs: 0 })).message).toContain(
    "orders: runs: expected 1 or more, got 0",
  );
  expect((await failureOf(ensure, { isolate: true })).message).toContain("orders: isolate: cannot");
  expect(failing.message).toContain("orders: one after the other, a run fails: Error: broken");
});

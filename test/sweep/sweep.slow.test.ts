import { Unkey } from "unkey-api-2";
import { describe, expect, test } from "vitest";
import { type Program, right, wrong } from "./_programs.ts";
import { tableOf, verdictsOf } from "./_sweeps.ts";

describe("a sweep finds nothing in a program that", () => {
  test.each(Object.entries(right))("%s", async (_, program) => {
    expect(await tableOf(program)).toContain(" 0 wrong");
  });
});

test("a sweep finds a call without a time-out", async () => {
  expect(await verdictsOf(wrong.patient, { faults: ["hang"] })).toEqual({
    "getApi.1.hang": "hangs",
  });
});

test("a 500 lasts, so a client that repeats calls does not hide it, and a note says that it does", async () => {
  const program: Program = async ({ url }) => {
    const unkey = new Unkey({ rootKey: "any", serverURL: url });
    await unkey.keys.verifyKey({ key: "shop_secret_1" }).catch(() => {});
  };

  const table = await tableOf(program, { faults: ["500"], answers: false });

  expect(table).toContain(
    "keys.verifyKey (1st call): answered 500\n  passes without knowing whether",
  );
  expect(table).toContain("\nkeys.verifyKey: a call that fails is repeated for more than 5 s");
});

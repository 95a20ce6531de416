import { Unkey } from "unkey-api-2";
import { expect, test } from "vitest";
import { type Program } from "./_programs.ts";
import { tableOf } from "./_sweeps.ts";

test("a 500 lasts, so a client that repeats calls does not hide it", async () => {
  const program: Program = async ({ url }) => {
    const unkey = new Unkey({ rootKey: "any", serverURL: url });
    await unkey.keys.verifyKey({ key: "shop_secret_of_user_1" }).catch(() => {});
  };

  const table = await tableOf(program, { faults: ["500"], answers: false });

  expect(table).toContain(
    "keys.verifyKey (old, user_1): answered 500\n  passes although the verification had no answer\n",
  );
});

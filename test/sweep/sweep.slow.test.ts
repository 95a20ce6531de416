import { Unkey } from "unkey-api-2";
import { expect, test } from "vitest";
import { check, type Program } from "./_programs.ts";
import { tableOf } from "./_sweeps.ts";

test("a 500 lasts, so a client that retries does not hide it", async () => {
  const program: Program = async ({ url }) => {
    const unkey = new Unkey({ rootKey: "any", serverURL: url });
    await unkey.keys.verifyKey({ key: "shop_secret_of_user_1" }).catch(() => {});
  };

  const table = await tableOf(program, { faults: ["500"], answers: false });

  expect(table).toContain(
    "keys.verifyKey (old, user_1): answered 500\n  passes although the verification had no answer\n",
  );
});

test("a program with a timeout of ten seconds does not hang: it lets in, refuses or retries", async () => {
  const ask = async ({ url }: Parameters<Program>[0]) => {
    const response = await fetch(`${url}/v2/keys.verifyKey`, {
      method: "POST",
      headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
      body: JSON.stringify({ key: "shop_secret_of_user_1" }),
      signal: AbortSignal.timeout(10_000),
    });
    check((await response.json()).data.valid, "a valid key");
  };
  const programs: Program[] = [
    ask,
    (world) => ask(world).catch(() => {}),
    (world) => ask(world).catch(() => ask(world)),
  ];
  const options = { faults: ["hang"], answers: false } as const;

  const [right, open, patient] = await Promise.all(programs.map((each) => tableOf(each, options)));

  expect(right).toContain("1 case: 0 wrong, 1 fails clearly");
  expect(open).toContain("\n  passes although the verification had no answer\n");
  expect(patient).toContain("1 case: 0 wrong, 1 copes");
});

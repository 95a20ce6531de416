import { unkey as protect } from "@unkey/hono";
import { Hono } from "hono";
import { Unkey } from "unkey-api-2";
import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/index.ts";
import { sweep, SweepError, type SweepOptions } from "../../src/sweep.ts";
import { leadHere } from "../_reach.ts";
import { type Program, right, wrong } from "./_programs.ts";
import { tableOf, verdictsOf } from "./_sweeps.ts";

const FAULTS = ["500", "429", "lost-before", "lost-after", "hang", "truncated"];
const all = (call: string, hows: readonly string[], verdict: string) =>
  Object.fromEntries(hows.map((how) => [`${call}.${how}`, verdict]));

describe("a sweep finds", () => {
  test("a create that is sent again blindly", async () => {
    expect(await tableOf(wrong.blind)).toBe(
      [
        "1 call, 6 cases: 2 wrong, 3 cope, 1 fails clearly",
        "",
        'keys.createKey (1st call, name "main", externalId "user_9"): reply lost after the call took effect / reply cut off after the call took effect',
        '  passes, but leaves 2 keys "main" of user_9 instead of 1: it sent the call 2 times',
        '  change: before the call is sent again, look for what the first one made; if the client repeats calls by itself, end that (@unkey/api: `retryConfig: { strategy: "none" }`)',
        '  again:  with the option case: "createKey.1.lost-after"',
      ].join("\n"),
    );
  });

  test("a gate that is open while the service fails", async () => {
    expect(await verdictsOf(wrong.openGate)).toEqual(all("verifyKey.1", FAULTS, "no-answer"));
  });

  test("a gate that takes every answer for a yes", async () => {
    const answers = ["EXPIRED", "DISABLED", "NOT_FOUND", "USAGE_EXCEEDED", "RATE_LIMITED"];
    const unnoticed = [...answers, "INSUFFICIENT_PERMISSIONS"];

    expect(await verdictsOf(wrong.deafGate)).toEqual(all("verifyKey.1", unnoticed, "unnoticed"));
  });

  test("a limit that limits nobody", async () => {
    expect(await verdictsOf(wrong.unlimited)).toEqual({
      ...all("limit.1", FAULTS, "no-answer"),
      "limit.1.RATE_LIMITED": "unnoticed",
    });
  });

  test("a failed delete that is swallowed", async () => {
    const only = ["keys.deleteKey"];
    const table = await tableOf(wrong.swallowed, { only });

    expect(table).toContain('passes, but leaves 1 key "old" of user_1 instead of none\n');
    expect(await verdictsOf(wrong.swallowed, { only })).toEqual(
      all("deleteKey.1", ["500", "429", "lost-before", "hang"], "passes-but"),
    );
  });

  test("a key that a failure leaves behind", async () => {
    expect(await verdictsOf(wrong.careless)).toEqual(
      all("createKey.1", ["lost-after", "truncated"], "orphan"),
    );
  });

  test("the duplicate that @unkey/api 2.5.1 makes by repeating calls", async () => {
    const create = (isOnce: boolean) => async (world: { url: string }) => {
      const retryConfig = isOnce ? { retryConfig: { strategy: "none" as const } } : {};
      const unkey = new Unkey({ rootKey: "any", serverURL: world.url, ...retryConfig });
      await unkey.keys.createKey({ apiId: "api_shop", name: "main" });
    };
    const name = "createKey.1.lost-after";
    const options = { faults: ["lost-after"] } as const;

    expect(await verdictsOf(create(false), options)).toEqual({ [name]: "passes-but" });
    expect(await verdictsOf(create(true), options)).toEqual({ [name]: "orphan" });
  });

  test("the open gate of @unkey/hono 2.0.0 without handleInvalidKey", async () => {
    const guard = (isShut: boolean) => async (world: Parameters<Program>[0]) => {
      leadHere(world);
      const app = new Hono();
      const refuse = { handleInvalidKey: () => new Response("no", { status: 403 }) };
      app.use(protect({ rootKey: "any", ...(isShut && refuse) }));
      app.get("/", (context) => context.text("yes"));
      const headers = { Authorization: "Bearer shop_secret_1" };
      if (!(await app.request("/", { headers })).ok) throw new Error("the gate is shut");
    };

    expect(Object.values(await verdictsOf(guard(false), { faults: [] }))).toEqual(
      Array.from({ length: 6 }, () => "unnoticed"),
    );
    expect(await verdictsOf(guard(true), { faults: [] })).toEqual({});
  });
});

test("a program may reset the emulator, and what it left before counts", async () => {
  const program: Program = async ({ emulator, url }) => {
    await wrong.blind({ emulator, url });
    await emulator.reset();
    await wrong.careless({ emulator, url });
    const headers = { Authorization: "Bearer any" };
    await fetch(`${url}/_latchkey/reset`, { method: "POST", headers });
  };

  expect(await verdictsOf(program, { faults: ["429", "lost-after"] })).toEqual({
    "createKey.1.lost-after": "passes-but",
    "createKey.2.lost-after": "orphan",
  });
});

test("names that differ from run to run are not compared, and not shown", async () => {
  let count = 0;
  const program: Program = async (world) => {
    count += 1;
    await world.emulator.identities.create({ externalId: `user ${count}` });
    await wrong.careless(world);
  };

  const table = await tableOf(program, { faults: ["lost-after"] });

  expect(table).toContain("The names of records differ from run to run");
  expect(table).toContain("fails, but the key, which the call made, stays");
});

test("a note says that calls or records differ from run to run", async () => {
  let count = 0;
  const program: Program = async ({ emulator, ...world }) => {
    count += 1;
    for (let key = 0; key < count; key += 1) await emulator.keys.create({ apiId: "api_shop" });
    if (count % 2 === 0) await wrong.deafGate({ emulator, ...world });
    await wrong.careless({ emulator, ...world });
  };

  const table = await tableOf(program, { faults: ["500"], answers: false });

  expect(table).toContain("not the same from run to run: keys.verifyKey 0 and 1 times.\n");
  expect(table).toContain("The number of records differs from run to run: they are not compared.");
});

test("a call that only one run without a fault repeats is not expected", async () => {
  const ask = right["asks again after a while"] as Program;
  let isFirst = true;
  const program: Program = async (world) => {
    if (isFirst) await ask(world);
    isFirst = false;
    await ask(world);
  };

  const table = await tableOf(program, { faults: ["lost-before"], answers: false });

  expect(table).toContain("1 call, 1 case: 0 wrong, 1 copes\n");
  expect(table).toContain("not the same from run to run: keys.verifyKey 1 and 2 times.");
});

test("options choose what is tried and what is allowed", async () => {
  const both: Program = async (world) => {
    await wrong.openGate(world);
    await wrong.careless(world);
  };
  const operation = "keys.verifyKey";

  const faults = ["500", "lost-after"] as const;
  const allowed = await verdictsOf(both, { faults, allow: [{ operation, verdict: "no-answer" }] });
  const one = await tableOf(both, { case: "createKey.1.lost-after" });
  const few = await tableOf(both, { only: ["keys.createKey"], most: 2 });

  expect(Object.keys(allowed)).toEqual(["createKey.1.lost-after"]);
  expect(one).toMatch(/^1 call, 1 case: 1 wrong\n/);
  expect(few).toBe(
    "1 call, 2 cases: 0 wrong, 2 fail clearly\n4 more cases did not run, because of `most` or `for`.",
  );
  expect(await tableOf(both, { for: 0 })).toContain("0 cases: 0 wrong");
});

test("every row can be repeated by its case, and a sweep gives the same table each time", async () => {
  const faults = ["429", "lost-after"] as const;
  const tables = [await tableOf(wrong.blind, { faults }), await tableOf(wrong.blind, { faults })];
  const row = await tableOf(wrong.blind, { case: "createKey.1.lost-after" });

  expect(tables[0]).toBe(tables[1]);
  expect(tables[0]).toContain(row.split("\n").at(-3));
});

test.each<[SweepOptions, string]>([
  [{ case: "createKey.1.lost" }, "sweep: case: unknown case (known: createKey.1.500, createKey.1."],
  [
    { only: ["keys.creatKey"] },
    'sweep: only: unknown call of keys.creatKey, did you mean "keys.createKey"? (known: keys.crea',
  ],
  [{ most: 0 }, "sweep: most: expected an integer of at least 1, got 0"],
  [{ for: "soon" }, "sweep: for: expected a duration"],
  [{ faults: ["503" as "500"] }, 'sweep: faults[0]: unknown fault "503"'],
  [
    { allow: [{ operation: "keys.createKey", verdict: "orphans" as "orphan" }] },
    'sweep: allow[0].verdict: unknown verdict "orphans", did you mean "orphan"?',
  ],
  [{ isolate: true }, "sweep: isolate: cannot be used, because every run has its own world"],
])("a sweep refuses %j", async (options, message) => {
  const refused = await tableOf(wrong.careless, options).catch((error: unknown) => error);

  expect(refused).toBeInstanceOf(UsageError);
  expect((refused as UsageError).message).toContain(message);
});

test("nothing is swept if the program makes no call, or fails without a fault", async () => {
  const idle = await sweep(() => {}).catch((error: unknown) => error);
  const failing = await sweep(() => Promise.reject(new Error("broken"))).catch((error) => error);

  expect(String(idle)).toContain("UsageError: sweep: no call came, so nothing was swept: expected");
  expect(failing).toBeInstanceOf(SweepError);
  expect(failing.message).toBe(
    "sweep: without a fault, the program fails: Error: broken; nothing was swept",
  );
});

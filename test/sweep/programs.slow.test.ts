import { unkey as protect } from "@unkey/hono";
import { Hono } from "hono";
import { Unkey } from "unkey-api-2";
import { describe, expect, test } from "vitest";
import { connect } from "../../src/control/client/connect.ts";
import { UsageError } from "../../src/index.ts";
import { sweep, type SweepOptions, type SweepWorld } from "../../src/sweep.ts";
import { leadHere } from "../_reach.ts";
import { call, check, listAll, main, pairs, type Program, shop } from "./_programs.ts";
import { tableOf, together, verdictsOf } from "./_sweeps.ts";

const wrong = (name: string): Program => (pairs[name] as (typeof pairs)[string]).wrong;
const right = (name: string): Program => (pairs[name] as (typeof pairs)[string]).right;
const blind = wrong("retries a create blindly");
const careless = wrong("leaves a key behind when it fails");
const openGate = wrong("lets callers in while the service fails");
const fixtures = [shop];
const quick = ["500", "lost-after"] as const;

describe("a sweep finds", () => {
  test("a create that is retried blindly", async () => {
    expect(await tableOf(blind)).toBe(
      [
        "1 call, 6 cases: 2 wrong, 3 cope, 1 fails clearly",
        "",
        "keys.createKey (main, user_9): reply lost after the call took effect / reply cut off after the call took effect",
        '  passes, but leaves 2 keys "main" of user_9 instead of 1: it sent the call 2 times',
        "  change: before the call is sent again, look for the key that the first one made, and reroll or delete it: its value is lost",
        '  again:  with the option case: "createKey(main,user_9).lost-after"',
      ].join("\n"),
    );
  });

  test("a duplicate under a name that the program changes later", async () => {
    const rename: Program = async ({ url }) => {
      const create = () => call(url, "keys.createKey", { ...main, name: "trial" });
      const { keyId } = await create().catch(create);
      await call(url, "keys.updateKey", { keyId, name: "team" });
    };

    expect(await tableOf(rename, { faults: ["lost-after"], only: ["keys.createKey"] })).toContain(
      '\n  passes, but leaves 1 key "trial" of user_9 instead of none: it sent the call 2 times\n',
    );
  });

  test("the duplicate that the retries of @unkey/api 2.5.1 create, also if the test fails", async () => {
    const create =
      (isOnce: boolean, count = 1): Program =>
      async ({ url }) => {
        const retryConfig = isOnce ? { retryConfig: { strategy: "none" as const } } : {};
        const unkey = new Unkey({ rootKey: "any", serverURL: url, ...retryConfig });
        await unkey.keys.createKey(main);
        const keys = await listAll(url, { externalId: main.externalId });
        check(keys.length <= count, `${count} keys`);
      };
    const options = { faults: ["lost-after"], only: ["keys.createKey"] } as const;
    const table = await tableOf(create(false), options);

    expect(await tableOf(create(false, 2), options)).toContain("\n  passes, but leaves 2 keys");
    expect(table).toContain(
      '\n  fails, but the key "main" of user_9 exists, and nobody has its value: it sent the call 2 times\n' +
        "  change: before the call is sent again, look for the key that the first one made, and reroll or delete it: its value is lost; to turn off the retries of @unkey/api: `retryConfig",
    );
    expect(await tableOf(create(true), options)).toContain("has its value\n  change: when the");
  });

  test("the open gate of @unkey/hono 2.0.0 without handleInvalidKey", async () => {
    const guard = (isShut: boolean) => async (world: SweepWorld) => {
      leadHere(world);
      const app = new Hono();
      const refuse = { handleInvalidKey: () => new Response("no", { status: 403 }) };
      app.use(protect({ rootKey: "any", ...(isShut && refuse) }));
      app.get("/", (context) => context.text("yes"));
      const headers = { Authorization: "Bearer shop_secret_of_user_1" };
      if (!(await app.request("/", { headers })).ok) throw new Error("the gate is shut");
    };
    const found = async (isShut: boolean) =>
      sweep(guard(isShut), { fixtures, faults: [] }).catch((error) => error.cases);

    expect((await found(false)).map(({ verdict }: { verdict: string }) => verdict)).toEqual(
      Array.from({ length: 6 }, () => "unnoticed"),
    );
    expect(await found(true)).toContain(": 0 wrong");
  });
});

describe("a row names the call that was spoilt, in any order of calls", () => {
  test("when one of several parallel programs has a mistake", async () => {
    let turn = 0;
    const program: Program = async (world) => {
      const works = [
        () => blind(world, "user_a"),
        () => right("retries a create blindly")(world, "user_b"),
        () => right("retries a create blindly")(world, "user_c"),
      ];
      // In each run, a different program starts first.
      turn += 1;
      await together(...works.map(async (_, index) => works[(index + turn) % 3]?.()));
    };
    const faults = ["lost-after"] as const;
    const tables = [await tableOf(program, { faults }), await tableOf(program, { faults })];

    expect(tables[0]).toBe(tables[1]);
    expect(tables[0]?.match(/^keys.*/gm)).toEqual([
      "keys.createKey (main, user_a): reply lost after the call took effect",
    ]);
    const again = "createKey(main,user_a).lost-after";
    expect(tables[0]).toContain(`again:  with the option case: "${again}"`);
    for (let time = 0; time < 3; time += 1)
      expect(await verdictsOf(program, { case: again })).toEqual({ [again]: "passes-but" });
  });

  test("when members of the input differ from run to run", async () => {
    const program: Program = ({ url }) =>
      together(
        call(url, "keys.createKey", { ...main, meta: { id: crypto.randomUUID() } }),
        call(url, "keys.createKey", { ...main, name: "other", expires: Date.now() + 60_000 }),
      );

    expect(await verdictsOf(program, { faults: quick })).toEqual({
      "createKey(main,user_9).lost-after": "orphan",
      "createKey(other,user_9).lost-after": "orphan",
    });
  });

  test("when one of several equal calls is retried: in one row, without a number", async () => {
    const program: Program = async ({ url }) => {
      for (let count = 0; count < 5; count += 1) {
        const create = () => call(url, "keys.createKey", main);
        await create().catch(create);
      }
    };
    const table = await tableOf(program, { faults: ["lost-after"] });

    expect(table.match(/^keys.*/gm)).toEqual([
      "keys.createKey (main, user_9; 5 equal calls): reply lost after the call took effect",
    ]);
    expect(table).toContain(
      'leaves 6 keys "main" of user_9 instead of 5: it sent an equal call again\n',
    );
  });

  test("equal calls share a row with the worst verdict, and its case runs them all", async () => {
    const program: Program = async ({ url }) => {
      await call(url, "keys.createKey", main).catch(async (error) => {
        for (const { keyId } of await listAll(url, { externalId: "user_9" }))
          await call(url, "keys.deleteKey", { keyId });
        throw error;
      });
      await call(url, "keys.createKey", main);
    };
    const table = await tableOf(program, { faults: ["lost-after"] });

    expect(table).toContain("1 call, 2 cases: 2 wrong\n");
    expect(table).toContain(
      "; equal calls have different verdicts here, and this is the worst: if they",
    );
    expect(table.match(/^keys.*/gm)).toHaveLength(1);
    const one = { case: "createKey(main,user_9).lost-after" };
    expect(await tableOf(program, one)).toContain("1 call, 2 cases: 2 wrong\n");
    expect(await verdictsOf(program, { case: "createKey(main,user_9).2.lost-after" })).toEqual({
      "createKey(main,user_9).2.lost-after": "orphan",
    });
  });
});

describe("the start of a program", () => {
  const rotate: (first: (url: string) => Promise<unknown>) => Program =
    (first) => async (world) => {
      const { url } = world;
      await first(url);
      const [{ keyId }] = await listAll(url, { externalId: "user_3" });
      await call(url, "keys.deleteKey", { keyId });
      await call(url, "keys.createKey", { ...main, externalId: "user_3" });
    };
  const key = { apiId: "api_shop", name: "old", externalId: "user_3" };
  const options = { only: ["keys.createKey"], faults: ["500"] } as const;
  const seeded = rotate((url) => connect(url, { token: "any" }).seed({ keys: [key] }));

  test("includes a seed: a customer who loses a seeded key is reported", async () => {
    const table = await tableOf(seeded, options);

    expect(table).toContain(
      "\n  fails, and user_3 has no key that works: it had one\n  change: make the new key before",
    );
  });

  test("includes a seed that comes while a call of another test is pending", async () => {
    const program = async ({ emulator, url }: SweepWorld) => {
      emulator.faults.add({ operation: "apis.getApi", latency: 300 });
      await together(call(url, "apis.getApi", { apiId: "api_shop" }), seeded({ url }));
    };
    const swept = sweep(program, { ...options, fixtures });

    await expect(swept).rejects.toMatchObject({
      cases: [{ case: "createKey(main,user_3).500", verdict: "lost" }],
    });
  });

  test("is the mark: calls before it are not spoilt, and its records have to stay", async () => {
    const marked = rotate(async (url) => {
      await call(url, "keys.createKey", key);
      await connect(url, { token: "any" }).mark();
    });

    expect(await verdictsOf(marked, options)).toEqual({ "createKey(main,user_3).500": "lost" });
  });

  test("follows `setup`, which is not spoilt and whose result the program gets", async () => {
    const swept = sweep(
      async ({ url }, keyId: string) => {
        await call(url, "keys.deleteKey", { keyId });
        await call(url, "keys.createKey", { ...main, externalId: "user_3" });
      },
      {
        ...options,
        fixtures,
        setup: async ({ url }) => (await call(url, "keys.createKey", key)).keyId,
      },
    );

    await expect(swept).rejects.toMatchObject({
      cases: [{ case: "createKey(main,user_3).500", verdict: "lost" }],
    });
  });

  test("is each seed, so two correct programs may share a seeded customer", async () => {
    const shared: Program = async (world) => {
      const client = connect(world.url, { token: "any" });
      await client.seed({ keys: [key] });
      const [{ keyId }] = await listAll(world.url, { externalId: "user_3" });
      await call(world.url, "keys.deleteKey", { keyId });
      await client.seed({ keys: [key] });
      await call(world.url, "keys.createKey", { ...main, externalId: "user_3" });
    };

    expect(await tableOf(shared, options)).toContain(": 0 wrong");
  });

  test("has one mark: a second one is refused until a reset", async () => {
    const twice: Program = async ({ url }) => {
      const client = connect(url, { token: "any" });
      await client.mark();
      await client.reset();
      await client.mark();
      await client.mark();
    };

    expect(await tableOf(twice)).toContain("mark: expected one mark until the next reset, because");
  });

  test("is unclear if the first calls create records that are used later: a note says so", async () => {
    const program: Program = async ({ url }) => {
      const { keyId } = await call(url, "keys.createKey", main);
      await call(url, "keys.updateKey", { keyId, name: "new" });
    };

    expect(await tableOf(program, { faults: quick })).toContain(
      "\nThe first calls make records that",
    );
  });
});

test("records before a reset by the program are compared too", async () => {
  const program = async ({ emulator, url }: SweepWorld) => {
    await blind({ url }, "user_a");
    await emulator.reset();
    await careless({ url }, "user_b");
    await connect(url, { token: "any" }).reset();
  };
  const error = await sweep(program, { fixtures, faults: ["lost-after"] }).catch(
    (thrown) => thrown,
  );

  expect(error.cases).toMatchObject([
    { case: "createKey(main,user_a).lost-after", verdict: "passes-but" },
    { case: "createKey(main,user_b).lost-after", verdict: "orphan" },
  ]);
});

test("a row mentions no retry if the call was sent once", async () => {
  const program: Program = async ({ url }) => {
    await call(url, "keys.createKey", main).catch(() =>
      call(url, "keys.createKey", { ...main, name: "other" }),
    );
  };

  expect(await tableOf(program, { faults: ["lost-after"] })).toContain(
    "passes, but leaves 1 key of user_9 instead of none\n",
  );
});

test("a note names calls that differ from run to run, and keys whose number differs are ignored", async () => {
  let count = 0;
  const program = async ({ emulator, url }: SweepWorld) => {
    count += 1;
    for (let key = 0; key < count; key += 1) await emulator.keys.create({ apiId: "api_shop" });
    if (count % 2 === 0) await openGate({ url });
    await careless({ url });
  };

  const table = await sweep(program, { fixtures, faults: ["500"], answers: false });

  expect(table).toContain("run to run: keys.verifyKey (old, user_1) 0 and 1 times.");
});

test("an expiry that the service rounds to a minute may differ by a minute", async () => {
  let count = 0;
  const program = async ({ emulator, url }: SweepWorld) => {
    count += 1;
    emulator.clock.set(count < 3 ? "2030-01-01T00:00:50Z" : "2030-01-01T00:01:10Z");
    const [{ keyId }] = await listAll(url, { externalId: "user_1" });
    await call(url, "keys.rerollKey", { keyId, expiration: 3_600_000 });
  };
  const options = { fixtures, faults: ["429"], only: ["apis.listKeys"] } as const;

  expect(await sweep(program, options)).toBe("1 call, 1 case: 0 wrong, 1 copes");
});

test("a second equal call is not expected if only one run without a fault made it", async () => {
  let isFirst = true;
  const ask = right("treats every answer as a yes");
  const program: Program = async (world) => {
    if (isFirst) await ask(world);
    isFirst = false;
    await ask(world);
  };

  const table = await tableOf(program, { faults: ["lost-before"], answers: false });

  expect(table).toContain("1 call, 1 case: 0 wrong, 1 copes\n");
});

test("a case is a row if the program does not make its call in two runs", async () => {
  let count = 0;
  const program: Program = async (world) => {
    count += 1;
    await openGate(world);
    if (count < 3) await careless(world);
  };

  const table = await tableOf(program, { faults: ["500"], answers: false });

  expect(table).toContain("2 calls, 2 cases: 1 wrong, 1 not reached\n");
  expect(table).toContain(
    "keys.createKey (main, user_9): answered 500\n  was not tried: the program",
  );
});

test("one failed run without a fault is a note, and two end the sweep", async () => {
  const failing = (runs: readonly number[]) => {
    let count = 0;
    return async (world: SweepWorld) => {
      count += 1;
      if (runs.includes(count)) throw new Error("by chance");
      await careless(world);
    };
  };
  const options = { fixtures, faults: ["500"] } as const;

  expect(await sweep(failing([2]), options)).toContain(
    "\nOne of three runs without a fault failed",
  );
  await expect(sweep(failing([1, 3]), options)).rejects.toThrow(
    "without a fault, the program fails",
  );
});

test("runs in parallel give the same table, and are refused if they share something", async () => {
  const program: Program = (world) =>
    together(openGate(world, "user_1"), careless(world, "user_2"));
  let running = 0;
  const alone: Program = async (world) => {
    running += 1;
    try {
      await careless(world);
      if (running > 1) throw new Error("two at once");
    } finally {
      running -= 1;
    }
  };

  expect(await tableOf(program, { faults: quick, jobs: 4 })).toBe(
    await tableOf(program, { faults: quick }),
  );
  await expect(tableOf(alone, { faults: quick, jobs: 3 })).rejects.toThrow(
    "sweep: jobs: expected runs that share nothing: in parallel, a run without a fault fails: Error: two at once",
  );
});

test("options choose cases and allow verdicts", async () => {
  const both: Program = async (world) => {
    await openGate(world);
    await careless(world);
  };
  const operation = "keys.verifyKey";
  const allow = [
    { operation, verdict: "no-answer" },
    { operation, verdict: "hangs" },
  ] as const;

  const allowed = await tableOf(both, { faults: quick, answers: false, allow });
  const few = await tableOf(both, { faults: ["500", "429", "lost-before"], most: 2 });

  expect(allowed).toContain("2 calls, 4 cases: 1 wrong, 1 fails clearly, 2 allowed\n");
  expect(allowed).toContain("\nAllowed, but not found: keys.verifyKey=hangs.");
  // One case of each operation.
  expect(few).toContain("2 calls, 2 cases: 1 wrong, 1 fails clearly, 10 did not run\n");
});

test("`most` and `for` run varied cases of 500 calls, and the first line counts the rest", async () => {
  const use = { namespace: "mail", limit: 5, duration: 60_000 };
  const program = async ({ emulator, url }: SweepWorld) => {
    for (let user = 0; user < 500; user += 1)
      await emulator.fetch("http://localhost/v2/ratelimit.limit", {
        method: "POST",
        headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
        body: JSON.stringify({ ...use, identifier: `user_${user}` }),
      });
    await careless({ url });
  };
  const options = { fixtures, faults: ["500"], answers: false } as const;

  const few = await sweep(program, { ...options, most: 4 }).catch((error) => error);
  // The time is over once the first case has run.
  const short = await sweep(program, { ...options, for: "5ms" });

  expect(few.cases.map((each: { case: string }) => each.case)).toEqual([
    "limit(mail,user_0).500",
    "limit(mail,user_1).500",
    "limit(mail,user_10).500",
  ]);
  expect(few.message).toContain("\n4 calls, 4 cases: 3 wrong, 1 fails clearly, 497 did not run\n");
  expect(short).toContain("1 call, 1 case: 0 wrong, 1 fails clearly, 500 did not run\n");
});

test.each<[SweepOptions, string]>([
  [
    { only: ["keys.creatKey"] },
    'sweep: only: unknown operation, did you mean "keys.createKey"? (known: keys.crea',
  ],
  [{ most: 0 }, "sweep: most: expected an integer of at least 1, got 0"],
  [{ for: "soon" }, "sweep: for: expected a duration"],
  [{ faults: [], answers: false }, "sweep: no case ran: the options leave no case"],
  [{ faults: ["503" as "500"] }, 'sweep: faults[0]: unknown fault "503"'],
  [
    { allow: [{ operation: "keys.createKey", verdict: "orphans" as "orphan" }] },
    'sweep: allow[0].verdict: unknown verdict "orphans", did you mean "orphan"?',
  ],
  [
    { allow: [{ operation: "keys.makeKey", verdict: "orphan" }] },
    "sweep: allow: unknown operation",
  ],
  [{ isolate: true }, "sweep: isolate: cannot be used, because every run has its own world"],
])("a sweep refuses %j", async (options, message) => {
  const refused = await tableOf(careless, options).catch((error: unknown) => error);

  expect(refused).toBeInstanceOf(UsageError);
  expect((refused as UsageError).message).toContain(message);
});

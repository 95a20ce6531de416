import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { ApiError, defineOperation, type Emulator, type LogEntry } from "../../src/index.ts";
import { givenEmulator, NOW, post } from "../_emulator.ts";

/** A Proxy that throws whatever `thrown` gives when anything is done with it. */
function hostile(target: object, thrown: () => unknown): object {
  const names = Object.getOwnPropertyNames(Reflect) as (keyof ProxyHandler<object>)[];
  const trap = () => {
    throw thrown();
  };
  return new Proxy(target, Object.fromEntries(names.map((name) => [name, trap])));
}

function throwing(member: string): Error {
  return Object.defineProperty(new Error("seen"), member, {
    get() {
      throw new Error(`no ${member}`);
    },
  });
}

function withCause(): Error {
  const error = new Error("its own cause");
  error.cause = error;
  return error;
}

const selfThrowing: object = hostile({}, () => selfThrowing);

const strange: readonly (readonly [name: string, thrown: unknown])[] = [
  ["null", null],
  ["undefined", undefined],
  ["a symbol", Symbol("thrown")],
  ["a Proxy that throws", hostile({}, () => new Error("trap"))],
  ["a Proxy that throws itself", selfThrowing],
  ["a Proxy of an ApiError that throws", hostile(new ApiError("NOT_FOUND", "x"), () => null)],
  [
    "a Proxy that only knows its prototype",
    new Proxy(new ApiError("NOT_FOUND", "x"), {
      get() {
        throw new Error("get");
      },
    }),
  ],
  ["an object without text", Object.create(null)],
  ["an Error whose stack throws", throwing("stack")],
  ["an Error whose message throws", throwing("message")],
  ["an Error that is its own cause", withCause()],
  ["an Error whose text is none", Object.assign(new Error("x"), { stack: Symbol("none") })],
];

const thrower = (where: "run" | "requires" | "promise", thrown: unknown, version: "v1" | "v2") =>
  defineOperation({
    contract: {
      name: "tests.run",
      method: "POST",
      path: `/${version}/tests.run`,
      input: z.looseObject({}),
      output: z.unknown(),
    },
    requires() {
      if (where === "requires") throw thrown;
      return [];
    },
    run() {
      if (where === "promise") return Promise.reject(thrown);
      if (where === "run") throw thrown;
      return { data: {} };
    },
  });

/** Calls the operation, and returns the status, the code or type, and the bugs of the log. */
async function call(
  operation: ReturnType<typeof thrower>,
  prepare: (emulator: Emulator) => unknown = () => {},
) {
  const entries: LogEntry[] = [];
  const log = (entry: LogEntry) => {
    entries.push(entry);
    // Reads the entry as a log does.
    if (entry.kind === "bug" && entry.error instanceof Error) void String(entry.error.stack);
  };
  const emulator = await givenEmulator({ operations: [operation], log });
  prepare(emulator);
  const { body, headers, status } = await post(emulator, operation.contract.path, {});
  const bugs = entries.filter((entry) => entry.kind === "bug");
  return { bugs, headers, status, message: body.error?.message ?? body.error?.detail, body };
}

describe.each(["v1", "v2"] as const)("in %s", (version) => {
  describe.each(["run", "requires", "promise"] as const)("in %s", (where) => {
    test.each(strange)(
      "an operation that throws %s is answered with 500 and logged",
      async (_, thrown) => {
        const { bugs, message, status } = await call(thrower(where, thrown, version));

        expect([status, message]).toEqual([500, "an unexpected error happened in the emulator"]);
        expect(bugs.map(({ operation }) => operation)).toContain("tests.run");
      },
    );
  });

  test.each(strange)("a fault whose match throws %s is answered with 500", async (_, thrown) => {
    const match = () => {
      throw thrown;
    };

    const { bugs, status } = await call(thrower("run", 0, version), ({ faults }) =>
      faults.add({ status: 503, match }),
    );

    expect(status).toBe(500);
    expect(String(bugs[0]?.error)).toMatch(/fault_1: match: the function failed: /);
  });

  const cycle: unknown[] = [];
  cycle.push(cycle);
  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["a function", () => {}],
    ["a BigInt", 1n],
    ["a cycle", cycle],
    ["a Proxy that throws", hostile({}, () => null)],
    ["an object whose toJSON throws", { toJSON: () => cycle.at(0) }],
  ])("an operation whose result is %s is answered with 500 and logged", async (_, result) => {
    const run = () => (version === "v1" ? result : { data: result });

    const { bugs, status } = await call({ ...thrower("run", 0, version), run: run as never });

    expect(status).toBe(500);
    expect(bugs.map(({ operation }) => operation)).toEqual(["tests.run"]);
  });

  test("an operation without a result is answered with 500 and logged", async () => {
    const { bugs, status } = await call({
      ...thrower("run", 0, version),
      run: (() => {}) as never,
    });

    expect([status, bugs.length]).toEqual([500, 1]);
  });

  test.each<[name: unknown, value: unknown, message: string]>([
    ["", "1", 'header "": expected a valid header name'],
    ["X Note", "1", 'header "X Note": expected a valid header name'],
    ["X-Note:", "1", 'header "X-Note:": expected'],
    ["X-Note", "é", 'header "X-Note": expected a valid header name and a value of printable ASCII'],
    ["X-Note", "a\r\nX-Other: b", 'header "X-Note": expected'],
    ["X-Note", "a ", "without space at its ends"],
    ["X-Note", "x".repeat(4_001), "at most 4,000 characters"],
    ["X-Note", 1, 'header "X-Note": expected'],
    [Symbol("name"), "1", "header of type symbol: expected"],
    ["Content-Length", "1", "Content-Length is set by the emulator"],
    ["content-type", "text/html", "content-type is set by the emulator"],
    ["Transfer-Encoding", "chunked", "Transfer-Encoding is set by the emulator"],
    ["Connection", "close", "Connection is set by the emulator"],
    ["Trailer", "X-Note", "Trailer is set by the emulator"],
    ["Unkey-Request-Id", "req_1", "Unkey-Request-Id is set by the emulator"],
  ])(
    "an operation's setHeader(%j, %j) is answered with 500 and logged",
    async (name, value, message) => {
      const { bugs, headers, status } = await call({
        ...thrower("run", 0, version),
        run({ setHeader }) {
          setHeader(name as string, value as string);
          return { data: {} };
        },
      });

      expect([status, headers.get("x-note")]).toEqual([500, null]);
      expect(String(bugs[0]?.error)).toContain(`tests.run: setHeader: `);
      expect(String(bugs[0]?.error)).toContain(message);
    },
  );

  test("an operation's setHeader sets any header that the emulator does not set itself", async () => {
    const { headers, status } = await call({
      ...thrower("run", 0, version),
      run({ setHeader }) {
        setHeader("X-Note", 'a; b="c"');
        setHeader("Retry-After", "1");
        setHeader("Cache-Control", "");
        return { data: {} };
      },
    });

    expect(status).toBe(200);
    expect([headers.get("x-note"), headers.get("retry-after")]).toEqual(['a; b="c"', "1"]);
  });

  test("a log that throws fails no call, even if the console throws too", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {
      throw new Error("the console is closed");
    });
    try {
      const emulator = await givenEmulator({
        operations: [thrower("run", selfThrowing, version)],
        log: () => {
          throw selfThrowing;
        },
      });

      expect((await post(emulator, `/${version}/tests.run`, {})).status).toBe(500);
      expect(warn.mock.calls.join()).not.toBe("");
    } finally {
      warn.mockRestore();
    }
  });
});

describe("Date.now", () => {
  const options = { now: undefined };

  test.each([Number.NaN, Infinity, -1])(
    "a call is answered with 500 while Date.now returns %d",
    async (time) => {
      const entries: LogEntry[] = [];
      const emulator = await givenEmulator({
        ...options,
        log: (entry) => void entries.push(entry),
      });
      const spy = vi.spyOn(Date, "now").mockReturnValue(time);
      try {
        const { body, status } = await post(emulator, "/v2/keys.createKey", { apiId: "api_one" });

        expect([status, body.error.title]).toEqual([500, "Internal Server Error"]);
        expect(entries).toContainEqual({
          kind: "warning",
          message: `clock: expected Date.now() to return a time from 1970 on, got ${time}`,
        });
      } finally {
        spy.mockRestore();
      }
      expect((await post(emulator, "/v2/keys.createKey", { apiId: "api_one" })).status).toBe(200);
    },
  );

  test("times are whole milliseconds and a snapshot can be loaded if Date.now returns a fraction", async () => {
    const spy = vi.spyOn(Date, "now").mockReturnValue(NOW + 0.75);
    try {
      const emulator = await givenEmulator(options);
      await post(emulator, "/v1/keys.createKey", { apiId: "api_one", name: "made" });
      emulator.clock.advance(1);
      await post(emulator, "/v1/keys.createKey", { apiId: "api_one", name: "later" });

      expect(emulator.keys.all().map(({ createdAt }) => createdAt)).toEqual([NOW, NOW + 1]);
      const { fixtures, ...rest } = { fixtures: [emulator.snapshot()], ...options };
      expect((await givenEmulator({ fixtures, ...rest })).keys.count()).toBe(2);
    } finally {
      spy.mockRestore();
    }
  });
});

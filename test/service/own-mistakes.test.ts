import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { ApiError, defineOperation, type Emulator, type LogEntry } from "../../src/index.ts";
import { givenEmulator, NOW, post } from "../_emulator.ts";

/** A Proxy that throws what `thrown` returns when it is used in any way. */
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

type Run = ReturnType<typeof defineOperation>["run"];

const operation = (run: Run, requires?: () => never) =>
  defineOperation({
    contract: {
      name: "tests.run",
      method: "POST",
      path: "/v2/tests.run",
      input: z.looseObject({}),
      output: z.unknown(),
    },
    requires: requires ?? (() => []),
    run,
  });

const doNothing = operation(() => ({ data: {} }));

/** Calls the operation, and returns the answer and the bugs of the log. */
async function call(
  called: ReturnType<typeof operation>,
  prepare: (emulator: Emulator) => unknown = () => {},
) {
  const entries: LogEntry[] = [];
  const log = (entry: LogEntry) => {
    entries.push(entry);
    // Reads the entry as a log does.
    if (entry.kind === "bug" && entry.error instanceof Error) void String(entry.error.stack);
  };
  const emulator = await givenEmulator({ operations: [called], log });
  prepare(emulator);
  const { body, headers, status } = await post(emulator, "/v2/tests.run", {});
  const bugs = entries.filter((entry) => entry.kind === "bug");
  return { bugs, headers, status, detail: body.error?.detail };
}

test.each(strange)(
  "an operation that throws %s is answered with 500 and logged",
  async (_, thrown) => {
    const fail = () => {
      throw thrown;
    };
    const places = [
      operation(fail),
      operation(() => ({}), fail),
      operation(() => Promise.reject(thrown)),
    ];
    for (const place of places) {
      const { bugs, detail, status } = await call(place);

      expect([status, detail]).toEqual([500, "an unexpected error happened in the emulator"]);
      expect(bugs.map((bug) => bug.operation)).toContain("tests.run");
    }
  },
);

test.each(strange)("a fault whose match throws %s is answered with 500", async (_, thrown) => {
  const match = () => {
    throw thrown;
  };

  const { bugs, status } = await call(doNothing, ({ faults }) =>
    faults.add({ status: 503, match }),
  );

  expect(status).toBe(500);
  expect(String(bugs[0]?.error)).toMatch(/fault_1: match: the function failed: /);
});

const cycle: unknown[] = [];
cycle.push(cycle);
test.each<[string, unknown]>([
  ["nothing", undefined],
  ["undefined data", { data: undefined }],
  ["a function", { data: () => {} }],
  ["a BigInt", { data: 1n }],
  ["a cycle", { data: cycle }],
  ["a Proxy that throws", { data: hostile({}, () => null) }],
  ["an object whose toJSON throws", { data: { toJSON: () => cycle.at(0) } }],
])("an operation whose result is %s is answered with 500 and logged", async (_, result) => {
  const { bugs, status } = await call(operation((() => result) as never));

  expect(status).toBe(500);
  expect(bugs.map((bug) => bug.operation)).toEqual(["tests.run"]);
});

test.each<[name: unknown, value: unknown, message: string]>([
  ["", "1", 'header "": expected a valid header name'],
  ["X Note", "1", 'header "X Note": expected a valid header name'],
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
])("setHeader(%s, …) is answered with 500 and logged: case %#", async (name, value, message) => {
  const { bugs, headers, status } = await call(
    operation(({ setHeader }) => {
      setHeader(name as string, value as string);
      return { data: {} };
    }),
  );

  expect([status, headers.get("x-note")]).toEqual([500, null]);
  expect(String(bugs[0]?.error)).toContain(`tests.run: setHeader: `);
  expect(String(bugs[0]?.error)).toContain(message);
});

test("setHeader sets any header that the emulator does not set itself", async () => {
  const { headers, status } = await call(
    operation(({ setHeader }) => {
      setHeader("X-Note", 'a; b="c"');
      setHeader("Retry-After", "1");
      setHeader("Cache-Control", "");
      return { data: {} };
    }),
  );

  expect(status).toBe(200);
  expect([headers.get("x-note"), headers.get("retry-after")]).toEqual(['a; b="c"', "1"]);
});

test("a log that throws fails no call, even if the console throws too", async () => {
  const fail = () => {
    throw selfThrowing;
  };
  const warn = vi.spyOn(console, "warn").mockImplementation(fail);
  try {
    const emulator = await givenEmulator({ operations: [operation(fail)], log: fail });

    expect((await post(emulator, "/v2/tests.run", {})).status).toBe(500);
    expect(warn.mock.calls.join()).not.toBe("");
  } finally {
    warn.mockRestore();
  }
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

  test("a time with a fraction, as Date.now may return it, becomes whole milliseconds", async () => {
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

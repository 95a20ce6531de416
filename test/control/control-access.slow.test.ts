import { request } from "node:http";
import { networkInterfaces } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "../../src/doors/http/serve.ts";
import type { Emulator, EmulatorOptions } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys } from "../_emulator.ts";
import { CONTROL, listing, reader, readersOnly, world } from "./_access.ts";
import { API_ONE, described, routes } from "./_control.ts";

/** An address of this machine that is not on loopback. */
const outside = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === "IPv4" && !each.internal)?.address;

/** How a request comes in: the columns of the tables below. */
const columns = ["loopback", "outside", "forwarded", "in process"] as const;
/**
 * Further ways: through a proxy to a server on loopback alone, what a proxy appends after thousands of headers of the client, and pages of other
 * origins that send no `Origin`.
 */
const ways = [...columns, "forwarded near", "forwarded last", "cross-site", "same-site"] as const;
type Way = (typeof ways)[number];

/** 2,100 headers, more than Node reads by default, in less than the 16 KiB that it accepts. */
const manyHeaders = Array.from({ length: 2_100 }, () => ["a", ""]).flat();

interface Scenario {
  readonly options: EmulatorOptions;
  /** By token: the outcome of each of `columns`. `made` stands for the random control token. */
  readonly rows: Readonly<Record<string, string>>;
}

const scenarios: Readonly<Record<string, Scenario>> = {
  "no token is listed": {
    options: { fixtures: [world] },
    rows: {
      none: "  ok 403 403 ok",
      unknown: "ok 403 403 ok",
      broken: "401 401 401 401",
    },
  },
  "no token listed, a control token set": {
    options: { fixtures: [world], controlToken: CONTROL },
    rows: {
      none: "   401 401 401 401",
      unknown: "401 401 401 401",
      broken: " 401 401 401 401",
      [CONTROL]: "ok ok ok ok",
    },
  },
  "tokens are listed": {
    options: { fixtures: [listing] },
    rows: {
      none: "   401 401 401 401",
      unknown: "401 401 401 401",
      broken: " 401 401 401 401",
      root: "   ok  ok  ok  ok",
      ops: "    ok  ok  ok  ok",
      off: "    ok  ok  ok  ok",
      old: "    ok  ok  ok  ok",
      reader: " 403 403 403 403",
      watcher: "watch watch watch watch",
    },
  },
  "tokens are listed, a control token set": {
    options: { fixtures: [listing], controlToken: CONTROL },
    rows: {
      none: "   401 401 401 401",
      unknown: "401 401 401 401",
      root: "   ok  ok  ok  ok",
      ops: "    ok  ok  ok  ok",
      reader: " 403 403 403 403",
      watcher: "watch watch watch watch",
      [CONTROL]: "ok ok ok ok",
    },
  },
  "no listed token may use control routes": {
    options: { fixtures: [readersOnly] },
    rows: {
      none: "   401 401 401 401",
      unknown: "401 401 401 401",
      reader: " 403 403 403 403",
      made: "   ok  ok  ok  ok",
    },
  },
  "the option `tokens` lists tokens": {
    options: { fixtures: [world], tokens: [{ token: "all" }, reader] },
    rows: {
      none: "   401 401 401 401",
      unknown: "401 401 401 401",
      all: "    ok  ok  ok  ok",
      reader: " 403 403 403 403",
    },
  },
  "isolate is on": {
    options: { fixtures: [world], isolate: true },
    rows: {
      none: "   ok  403 403 ok",
      unknown: "ok  403 403 ok",
      broken: " 401 401 401 401",
    },
  },
  "isolate is on, a control token set": {
    options: { fixtures: [world], isolate: true, controlToken: CONTROL },
    rows: {
      none: "   401 401 401 401",
      unknown: "ok  ok  ok  ok",
      [CONTROL]: "ok ok ok ok",
    },
  },
  "isolate is on, tokens are listed": {
    options: { fixtures: [listing], isolate: true },
    rows: {
      none: "   401 401 401 401",
      unknown: "ok  ok  ok  ok",
      root: "   ok  ok  ok  ok",
      ops: "    ok  ok  ok  ok",
      reader: " 403 403 403 403",
      watcher: "watch watch watch watch",
    },
  },
  "isolate is on, `tokens` lists tokens": {
    options: { fixtures: [readersOnly], isolate: true, tokens: [{ token: "mine" }, reader] },
    rows: {
      none: "   401 401 401 401",
      unknown: "401 401 401 401",
      mine: "   ok  ok  ok  ok",
      reader: " 403 403 403 403",
      made: "   ok  ok  ok  ok",
    },
  },
};

/** An emulator that can be asked in each of `ways`; `ask` resolves to the status alone. */
async function givenDoors(options: EmulatorOptions) {
  const emulator = await givenEmulator({ log: () => {}, ...options });
  const near = await serve(emulator);
  const far = await serve(emulator, { host: "0.0.0.0", allowHosts: outside ? [outside] : [] });
  onTestFinished(async () => {
    await near.close({ grace: 0 });
    await far.close({ grace: 0 });
  });
  const places: Record<
    Exclude<Way, "in process">,
    readonly [port: number, host: string | undefined]
  > = {
    loopback: [near.port, "127.0.0.1"],
    outside: [far.port, outside],
    forwarded: [far.port, "127.0.0.1"],
    "forwarded near": [near.port, "127.0.0.1"],
    "forwarded last": [far.port, "127.0.0.1"],
    "cross-site": [near.port, "127.0.0.1"],
    "same-site": [near.port, "127.0.0.1"],
  };
  const ask = async (way: Way, { body, call, token }: Asked): Promise<number> => {
    const [method = "", path = ""] = call.split(" ");
    const authorization = toAuthorization(emulator, token);
    const headers = {
      ...(authorization !== undefined && { Authorization: authorization }),
      ...((way === "forwarded" || way === "forwarded near") && { "X-Forwarded-For": "192.0.2.1" }),
    };
    const text = body && JSON.stringify(body);
    if (way === "in process") {
      const init = { method, headers, ...(text !== undefined && { body: text }) };
      const response = await emulator.fetch(`http://x/_latchkey${path}`, init);
      await response.body?.cancel();
      return response.status;
    }
    const [port, host] = places[way];
    const more: Partial<Record<Way, readonly string[]>> = {
      "forwarded last": [...manyHeaders, "X-Forwarded-For", "192.0.2.1"],
      "cross-site": ["Sec-Fetch-Site", "cross-site"],
      "same-site": ["Sec-Fetch-Site", "same-site"],
    };
    // A list keeps the order of the headers. Node adds no `Host` to it.
    const sentHeaders = ["Host", `${host}:${port}`, ...Object.entries(headers).flat()];
    const length = ["Content-Length", String(Buffer.byteLength(text ?? ""))];
    const target = {
      host,
      port,
      method,
      path: `/_latchkey${path}`,
      headers: [...sentHeaders, ...length, ...(more[way] ?? [])],
    };
    return new Promise((resolve, reject) => {
      const sent = request({ ...target, agent: false }, (reply) => {
        reply.destroy();
        resolve(reply.statusCode ?? 0);
      });
      sent.once("error", reject).end(text);
    });
  };
  return { emulator, ask };
}

interface Asked {
  readonly call: string;
  readonly token: string;
  readonly body?: object;
}

function toAuthorization({ controlToken }: Emulator, token: string): string | undefined {
  if (token === "none") return undefined;
  if (token === "broken") return "Bearer two words";
  return `Bearer ${token === "made" ? controlToken : token}`;
}

/** The outcome of a way, from the outcomes of the columns. */
function outcomeOf(way: Way, outcomes: readonly string[]): string {
  if (way === "cross-site" || way === "same-site") return "403";
  const column = way.startsWith("forwarded") ? "forwarded" : (way as (typeof columns)[number]);
  return outcomes[columns.indexOf(column)] ?? "";
}

const rows = Object.entries(scenarios).flatMap(([name, { options, rows: tokens }]) =>
  Object.entries(tokens).map(([token, padded]) => {
    const expected = padded.trim().replace(/\s+/g, " ");
    return { name, options, token, expected };
  }),
);

// Without such an address, only the function of the address check is tested.
const tried = ways.filter((way) => way !== "outside" || outside !== undefined);

/** One route of each kind: a way and a world decide the same for all routes of a kind. */
const kinds = ["GET /health", "GET /clock", "GET /events", "PUT /clock", "PUT /snapshot"];
/** The tokens for which every route is asked, and where. */
const isWhole = ({ name, token }: (typeof rows)[number], way: Way) =>
  name === "tokens are listed" &&
  ["none", "reader", "watcher", "ops"].includes(token) &&
  (way === "loopback" || way === "in process");

test.each(rows)(
  "if $name, control routes answer token $token by loopback, outside, forwarded, in process: $expected",
  async (row) => {
    const { emulator, ask } = await givenDoors(row.options);
    const expected = row.expected.split(" ");

    const found: string[] = [];
    const wanted: string[] = [];
    for (const way of tried) {
      for (const use of routes) {
        if (!isWhole(row, way) && !kinds.includes(use.call)) continue;
        await emulator.reset({ all: true });
        // With isolation, a snapshot has to keep a token that may use control routes.
        const isKeeping = row.options.isolate && use.call === "PUT /snapshot";
        const more = isKeeping && { body: { ...use.body, tokens: listing.tokens } };
        const status = await ask(way, { ...use, ...more, token: row.token });
        const should = outcomeOf(way, expected);
        found.push(`${way}: ${use.call}: ${status}`);
        const isOk = use.isOpen || should === "ok" || (should === "watch" && use.isForWatching);
        wanted.push(`${way}: ${use.call}: ${isOk ? use.status : should.replace("watch", "403")}`);
      }
    }

    expect(found).toEqual(wanted);
  },
);

test("the tests of access to control routes cover every control route", async () => {
  const emulator = await givenEmulator();
  const url = "http://x/_latchkey/openapi.json";
  const { paths } = (await (await emulator.fetch(url)).json()) as { paths: object };

  const known = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.map(({ call }) => described(call)).sort()).toEqual(known.sort());
});

test.each(Object.entries(scenarios))(
  "if %s, operations refuse the control token",
  async (_, it) => {
    const emulator = await givenEmulator({ controlToken: CONTROL, ...it.options });
    const token = emulator.controlToken ?? "";

    for (const call of [listKeys, createKey]) {
      const { body, status } = await call(emulator, API_ONE, { token });

      expect(status).toBe(401);
      expect(body.error.message).toContain("the control token may not call operations");
      expect(JSON.stringify(body)).not.toContain(token);
    }
    const { body } = await listKeys(emulator, API_ONE, { token: "not_it" });
    expect(JSON.stringify(body)).not.toContain("control token");
  },
);

import { expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { givenEmulator, send } from "../_emulator.ts";
import { stateOf, type Version } from "./_keys.ts";
import type { Draft, Mistake } from "./_mistakes.ts";

/** A key of an API without a keyspace would be refused. */
const fixturesOf = ({ api, token, workspace }: Draft): Fixture[] => [
  {
    workspace: { id: "ws_one", ...workspace },
    tokens: [{ token: "root_token", ...token }],
    apis: [{ id: "api_one", ...api }],
    roles: [{ name: "known_role" }],
    permissions: ["known_permission"],
    migrations: [{ id: "mig_one" }],
    ratelimitNamespaces: [
      {
        id: "rlns_one",
        name: "one",
        overrides: [{ id: "rlor_one", identifier: "known", limit: 5, duration: 60_000 }],
      },
      { id: "rlns_gone", name: "gone", deleted: true },
    ],
    keys: [
      {
        id: "key_one",
        apiId: "api_one",
        start: "one",
        remaining: 5,
        roles: ["old_role"],
        permissions: ["old_permission"],
      },
    ].filter(() => api.keyspace !== false),
  },
  {
    workspace: { id: "ws_two" },
    tokens: [{ token: "other_token" }],
    apis: [{ id: "api_two" }],
    ratelimitNamespaces: [{ id: "rlns_two", name: "two" }],
    keys: [{ id: "key_other", apiId: "api_two", start: "other" }],
  },
];

function requestOf(draft: Draft): Request {
  const { authorization, body, edits, headers, method, path, query } = draft;
  let text = body && JSON.stringify(body);
  if (text !== undefined) for (const edit of edits) text = edit(text);
  const search = query.length === 0 ? "" : `?${query.join("&")}`;
  return new Request(`http://emulator.test${path}${search}`, {
    method,
    headers: { ...headers, ...(authorization === null ? {} : { Authorization: authorization }) },
    body: text ?? null,
  });
}

/** Sends calls with mistakes. Calls to the same world share an emulator, which refusals do not change. */
class Sender {
  readonly #start: () => Draft;
  readonly #worlds = new Map<string, { readonly emulator: Emulator; readonly state: string }>();

  constructor(start: () => Draft) {
    this.#start = start;
  }

  async answerTo(mistakes: readonly Mistake[]) {
    const draft = this.#start();
    for (const { make } of mistakes) make(draft);
    const emulator = await this.#open(fixturesOf(draft));
    const answer = await send(emulator, requestOf(draft));
    const hint = answer.headers.get("x-latchkey-hint") ?? "";
    const text = JSON.stringify(answer.body.error ?? null).replaceAll('\\"', '"') + hint;
    return { ...answer, text };
  }

  expectUnchanged(): void {
    for (const { emulator, state } of this.#worlds.values()) expect(stateOf(emulator)).toBe(state);
  }

  async #open(fixtures: Fixture[]): Promise<Emulator> {
    const name = JSON.stringify(fixtures);
    const opened = this.#worlds.get(name)?.emulator;
    if (opened !== undefined) return opened;
    const emulator = await givenEmulator({ fixtures });
    this.#worlds.set(name, { emulator, state: stateOf(emulator) });
    return emulator;
  }
}

/** What a refusal calls itself: the code of v1, or the last part of the type of v2. */
function labelOf({ code, type }: { readonly code?: string; readonly type?: string }) {
  return code ?? type?.replace("https://unkey.com/docs/errors/", "");
}

/**
 * Tests that of two mistakes in one call, the refusal names the first and leaves nothing behind.
 * @param all in the order of the checks
 */
export function testOrderOfChecks(
  version: Version,
  start: () => Draft,
  mistakes: readonly Mistake[],
): void {
  const operation = `${start().path.slice("/v1/".length)} of ${version}`;
  // A large body takes long to send. keys.createKey has it beside every other mistake.
  const isShort = ({ name }: Mistake) => name !== "too large a body";
  const all = operation.startsWith("keys.createKey") ? mistakes : mistakes.filter(isShort);

  test(`${operation} answers a call without a mistake with 200`, async () => {
    expect((await new Sender(start).answerTo([])).status).toBe(200);
  });

  /** The later mistakes that one call can have beside this one. */
  const besides = (first: Mistake) =>
    all.slice(all.indexOf(first) + 1).filter((second) => {
      const excludes = (one: Mistake, other: Mistake) => one.excludes?.names.includes(other.name);
      // Pairs of two common mistakes are the same for every operation: two-mistakes.test.ts.
      const isTested = first.isCommon && second.isCommon;
      return !isTested && !excludes(first, second) && !excludes(second, first);
    });

  async function expectFirst(sender: Sender, first: Mistake): Promise<void> {
    for (const second of [[], ...besides(first).map((each) => [each])]) {
      const answer = await sender.answerTo([first, ...second]);
      const title = [first, ...second].map(({ name }) => name).join(" beside ");
      const { error } = answer.body;
      const found = [answer.status, error.status ?? answer.status, labelOf(error)];
      expect(found, title).toEqual([first.status, first.status, first.label]);
      expect(answer.text, title).toContain(first.names);
      for (const { names, step } of second) {
        expect(answer.text.includes(names), title).toBe(step !== undefined && step === first.step);
      }
      const isChallenged = version === "v1" && first.status === 401;
      expect(answer.headers.has("www-authenticate"), title).toBe(isChallenged);
      expect(answer.headers.has("allow"), title).toBe(first.status === 405);
    }
  }

  const common = all.filter(({ isCommon }) => isCommon);
  if (common.length > 0) {
    test(`${operation} reports what all operations refuse first`, async () => {
      const sender = new Sender(start);
      for (const first of common) await expectFirst(sender, first);
      sender.expectUnchanged();
    });
  }

  const own = all.filter(({ isCommon }) => !isCommon).map((each) => [each.name, each] as const);
  test.each(own)(`${operation} reports %s first`, async (_, first) => {
    const sender = new Sender(start);
    await expectFirst(sender, first);
    sender.expectUnchanged();
  });
}

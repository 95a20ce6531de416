import { expect, inject, test } from "vitest";
import { createEmulator } from "../../src/index.ts";
import { doors, type Fetch } from "../_doors/doors.ts";
import { NOW, openWorld } from "../_emulator.ts";
import { operations, sessions, type Session, type Step } from "./_sessions.ts";

const open = doors[inject("door")];

/** Headers that a server adds. */
const OF_TRANSPORT = ["connection", "date", "keep-alive"];

/** Deterministic: ids, key values and times depend on the random seed and the clock alone. */
async function givenEmulator({ options, faults = [] }: Pick<Session, "options" | "faults">) {
  const fixed = { fixtures: [openWorld], randomSeed: 1, now: NOW, log: () => {} };
  const emulator = await createEmulator({ ...fixed, ...options });
  for (const fault of faults) emulator.faults.add(fault);
  return emulator;
}

/** Everything that a client sees of the answer: status, headers and each byte of the body. */
async function answerTo({ target, body, ...init }: Step, send: Fetch) {
  const url = `https://emulator.test${target}`;
  try {
    const response = await send(new Request(url, body === undefined ? init : { ...init, body }));
    const headers = [...response.headers].filter(([name]) => !OF_TRANSPORT.includes(name));
    // Each byte becomes one character.
    const bytes = new TextDecoder("latin1").decode(await response.arrayBuffer());
    return { status: response.status, headers: Object.fromEntries(headers), bytes };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { status: "error" };
  }
}

test.each([...sessions, ...operations].map((session) => [session.name, session] as const))(
  "answers equal those of emulator.fetch, byte for byte: %s",
  async (_, session) => {
    const alone = await givenEmulator(session);
    const behind = await givenEmulator(session);
    const send = await open(behind);

    for (const step of session.steps) {
      const title = `${step.method} ${step.target} ${String(step.body ?? "").slice(0, 80)}`;
      const expected = await answerTo(step, alone.fetch);
      const answer = await answerTo(step, send);

      expect(answer, title).toEqual(expected);
      expect(answer.status, title).toBe(step.status);
    }
    // Both emulators are left in the same state.
    expect(JSON.stringify(behind.snapshot())).toBe(JSON.stringify(alone.snapshot()));
    expect(behind.requests.count()).toBe(alone.requests.count());
  },
);

test.each([
  ["before", 0],
  ["after", 1],
] as const)(
  "aborting a call that hangs %s the operation rejects its promise and leaves %i keys",
  async (when, count) => {
    const emulator = await givenEmulator({ options: {}, faults: [{ effect: "hang", when }] });
    const send = await open(emulator);
    const controller = new AbortController();
    const request = new Request("https://emulator.test/v1/keys.createKey", {
      method: "POST",
      headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
      body: '{"apiId":"api_one"}',
      signal: controller.signal,
    });

    const ending = expect(send(request)).rejects.toThrow("abort");
    await emulator.requests.waitFor({ operation: "keys.createKey" });
    controller.abort();

    await ending;
    expect(emulator.keys.count()).toBe(count);
  },
);

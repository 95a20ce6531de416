import { describe, expect, inject, test } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { givenEmulator, send, type Answer } from "../_emulator.ts";
import {
  createMistakes,
  creating,
  fixtureOf,
  listing,
  listMistakes,
  requestOf,
  type Mistake,
} from "./_mistakes.ts";

const operations = [
  ["keys.createKey", creating, createMistakes],
  ["apis.listKeys", listing, listMistakes],
] as const;

/** The msw handlers do not get requests for paths without an operation. */
const isHandled = ({ isUnhandledByMsw = false }: Mistake) =>
  !isUnhandledByMsw || !inject("door").startsWith("msw");

/** Counts of the records that a request may create. */
const held = ({ identities, keys, permissions, roles }: Emulator) => [
  keys.count(),
  identities.count(),
  permissions.count(),
  roles.count(),
];

async function answerOf(
  start: (typeof operations)[number][1],
  mistakes: readonly Mistake[],
): Promise<Answer & { readonly left: readonly number[] }> {
  const draft = start();
  for (const { make } of mistakes) make(draft);
  const emulator = await givenEmulator({ fixtures: [fixtureOf(draft)] });
  const answer = await send(emulator, requestOf(draft));
  return { ...answer, left: held(emulator) };
}

describe.each(operations)("%s", (_, start, all) => {
  const mistakes = all.filter(isHandled);

  test("is answered with 200 if the request has no mistake", async () => {
    const { status } = await answerOf(start, []);

    expect(status).toBe(200);
  });

  test.each(mistakes)("reports $name, alone and before all later mistakes", async (first) => {
    const excluded = first.excludes?.names ?? [];
    const later = mistakes.slice(mistakes.indexOf(first) + 1);
    const pairs = later.filter(({ name }) => !excluded.includes(name)).map((second) => [second]);

    for (const second of [[], ...pairs]) {
      const answer = await answerOf(start, [first, ...second]);
      const label = second.map(({ name }) => `beside ${name}`).join();
      const { code, message } = answer.body.error;
      expect([answer.status, code], label).toEqual([first.status, first.code]);
      expect(message, label).toContain(first.names);
      for (const { names, step } of second) {
        expect(message.includes(names), label).toBe(step !== undefined && step === first.step);
      }
      expect(answer.headers.has("www-authenticate"), label).toBe(first.status === 401);
      expect(answer.headers.has("allow"), label).toBe(first.status === 405);
      expect(answer.left, label).toEqual([0, 0, 0, 0]);
    }
  });

  test("the pairs left out of these tests name mistakes that are checked later", () => {
    const names = all.map(({ name }) => name);

    for (const { excludes, name } of all) {
      const behind = names.slice(names.indexOf(name) + 1);
      for (const other of excludes?.names ?? []) expect(behind).toContain(other);
    }
  });
});

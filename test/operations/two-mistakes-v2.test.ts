import { describe, expect, test } from "vitest";
import { givenEmulator, send } from "../_emulator.ts";
import { requestOf } from "./_mistakes.ts";
import {
  createMistakes,
  creating,
  fixtureOfV2,
  listing,
  listMistakes,
  type Mistake,
} from "./_mistakes-v2.ts";

const operations = [
  ["keys.createKey", creating, createMistakes],
  ["apis.listKeys", listing, listMistakes],
] as const;

async function answerOf(start: (typeof operations)[number][1], mistakes: readonly Mistake[]) {
  const draft = start();
  for (const { make } of mistakes) make(draft);
  const emulator = await givenEmulator({ fixtures: [fixtureOfV2(draft)] });
  const answer = await send(emulator, requestOf(draft));
  const { identities, keys, permissions, roles } = emulator;
  const left = [keys.count(), identities.count(), permissions.count(), roles.count()];
  const hint = answer.headers.get("x-latchkey-hint") ?? "";
  return { ...answer, left, text: `${JSON.stringify(answer.body)} ${hint}` };
}

describe.each(operations)("%s of v2", (_, start, all) => {
  const isExcluded = ({ excludes }: Mistake, { name }: Mistake) =>
    excludes?.names.includes(name) === true;
  /** Each later mistake that one request can combine with this one. */
  const laterThan = (first: Mistake) =>
    all.slice(all.indexOf(first) + 1).filter((second) => !isExcluded(first, second));

  async function expectFirst(first: Mistake, second: readonly Mistake[]): Promise<void> {
    const answer = await answerOf(start, [first, ...second]);
    const label = second.map(({ name }) => `beside ${name}`).join();
    const { error } = answer.body;
    expect([answer.status, error.status], label).toEqual([first.status, first.status]);
    const docs = "https://unkey.com/docs/errors/";
    expect(error.type, label).toBe(first.type === undefined ? "about:blank" : docs + first.type);
    expect(answer.text, label).toContain(first.names);
    for (const { names, step } of second) {
      const isNamed = step !== undefined && step === first.step;
      expect(answer.text.includes(names), label).toBe(isNamed);
    }
    expect(answer.headers.has("www-authenticate"), label).toBe(false);
    expect(answer.headers.has("allow"), label).toBe(first.status === 405);
    expect(answer.left, label).toEqual([0, 0, 0, 1]);
  }

  test("is answered with 200 if the request has no mistake", async () => {
    expect((await answerOf(start, [])).status).toBe(200);
  });

  test.each(all)("reports $name, alone and before all later mistakes", async (first) => {
    await expectFirst(first, []);
    for (const second of laterThan(first)) await expectFirst(first, [second]);
  });

  test("the pairs left out of these tests name mistakes that are checked later", () => {
    for (const first of all) {
      const behind = all.slice(all.indexOf(first) + 1).map(({ name }) => name);
      for (const other of first.excludes?.names ?? []) {
        if (all.some(({ name }) => name === other)) expect(behind).toContain(other);
      }
    }
  });
});

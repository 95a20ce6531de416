import fc from "fast-check";
import { expect, test } from "vitest";
import { atOnce } from "../../src/base/steps.ts";
import { toBatches, toBytes } from "../../src/seed/snapshot.ts";
import { codePoint } from "../_code-point.ts";
import { givenEmulator } from "../_emulator.ts";

const texts = fc.array(fc.string({ unit: codePoint, maxLength: 20 }), { maxLength: 20 });

test("text that is written in batches of any size is the same UTF-8", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 4, max: 50 }), (pieces, size) => {
      const batches = Array.from(toBatches(pieces, new Uint8Array(size)), (batch) => [...batch]);

      const expected = new TextEncoder().encode(pieces.join(""));
      expect(batches.flat()).toEqual([...expected]);
      expect(Buffer.concat(atOnce(toBytes(pieces)))).toEqual(Buffer.from(expected));
      expect(batches.every(({ length }) => length > 0 && length <= size)).toBe(true);
    }),
  );
});

test("a snapshot is written record by record, also those of further workspaces", async () => {
  const fixtureOf = (name: string) => ({
    workspace: { id: `ws_${name}` },
    tokens: [{ token: name, permissions: ["*"] }],
    apis: [{ id: "api_a" }],
    keys: Array.from({ length: 50 }, () => ({ apiId: "api_a" })),
  });
  const emulator = await givenEmulator({ fixtures: ["a", "b"].map(fixtureOf) });

  const pieces = [...emulator.snapshotText()];

  expect(pieces.length).toBeGreaterThan(100);
  expect(pieces.filter((piece) => piece.split('"createdAt"').length > 2)).toEqual([]);
  expect(JSON.parse(pieces.join(""))).toEqual(JSON.parse(JSON.stringify(emulator.snapshot())));
});

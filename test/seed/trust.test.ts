import { expect, test } from "vitest";
import { createEmulator } from "../../src/index.ts";
import { loadFixture } from "../../src/node.ts";
import { atOnce } from "../../src/base/steps.ts";
import { readParts, trusted } from "../../src/seed/read.ts";

test("the validation of a snapshot as JSON changes nothing, so a trusted one is read as it is", async () => {
  const emulator = await createEmulator({
    fixtures: [await loadFixture("fixtures/demo.yaml")],
    generate: 300,
    randomSeed: 1435,
  });
  const json = JSON.stringify(emulator.snapshot());
  const read = (fixture: unknown) => atOnce(readParts([fixture]));
  const snapshot = JSON.parse(json);
  trusted.add(snapshot);

  expect(read(snapshot)).toEqual(read(JSON.parse(json)));
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { LayeredMap } from "../../src/store/layered-map.ts";

const NAMES = ["a", "b", "c", "d"];

test("does what a map does, and never changes the one that it began as", () => {
  const step = fc.tuple(fc.constantFrom("set", "delete", "clear"), fc.constantFrom(...NAMES));
  fc.assert(
    fc.property(fc.array(step), fc.array(step), (before, after) => {
      const base = new LayeredMap<string, object>();
      const model = new Map<string, object>();
      const play = (map: LayeredMap<string, object>, steps: typeof before) => {
        for (const [what, name] of steps) {
          const value = {};
          if (what === "set") [map, model].forEach((each) => each.set(name, value));
          else if (what === "delete") [map, model].forEach((each) => each.delete(name));
          else if (before.length % 3 === 0) [map, model].forEach((each) => each.clear());
        }
      };
      play(base, before);
      const begun = new Map(model);
      const layered = new LayeredMap(base);
      play(layered, after);

      for (const name of NAMES) {
        expect(layered.get(name)).toBe(model.get(name));
        expect(layered.has(name)).toBe(model.has(name));
        expect(base.get(name)).toBe(begun.get(name));
      }
    }),
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import type * as z from "zod/mini";
import { quirkNames } from "../../src/contract/quirks.ts";
import { operationsOf } from "../../src/operations/table.ts";
import { readAs } from "../../src/schema/problems.ts";

const all = operationsOf(undefined, new Set(quirkNames)).map(({ contract }) => contract);
const nameOf = ({ name, version }: (typeof all)[number]) => `${name} of ${version}`;

test.each(all.map((contract) => [nameOf(contract), contract] as const))(
  "the input of %s is read alike before and after zod compiled its parser",
  (_, { input }) => {
    const schema = input as unknown as z.ZodMiniObject;
    const names = Object.keys(schema._zod.def.shape ?? {});
    const value = fc.jsonValue({ maxDepth: 2 });
    const given = fc.record(
      { ...Object.fromEntries(names.map((name) => [name, value])), unknown: value },
      { requiredKeys: [] },
    );
    const inputs = fc.sample(fc.oneof({ weight: 4, arbitrary: given }, value), {
      numRuns: 40,
      seed: 1,
    });
    const read = () =>
      inputs.map((each) => {
        const { problems, unknown, value: output } = readAs(schema, each);
        return { problems, output, unknown: unknown.map(({ path }) => path) };
      });
    const interpreted = read();
    for (let reads = 0; reads < 100; reads += 1) readAs(schema, {});

    expect(read()).toEqual(interpreted);
  },
);

import { expect, test } from "vitest";
import { problemsOf } from "../_fixture-problems.ts";

test.each(["permissions", "keys"])(
  "a fixture whose %s are 200,000 wrong items is refused without a crash",
  async (list) => {
    const fixture = { [list]: Array.from({ length: 200_000 }, () => 5) };

    expect((await problemsOf(fixture)).length).toBeGreaterThan(0);
  },
);

import { expect, test } from "vitest";
import { problemsOf } from "../_fixture-problems.ts";

const wrong = Array.from({ length: 200_000 }, () => ({}));

test.each([
  ["permissions", { permissions: wrong }],
  ["keys", { keys: wrong }],
  ["keys of a workspace", { workspaces: [{ workspace: { id: "ws_two" }, keys: wrong }] }],
  [
    "counters of a snapshot",
    { snapshot: { randomSeed: 1, keyValues: 0, ids: {}, counters: wrong } },
  ],
  ["overrides", { ratelimitNamespaces: [{ name: "emails", overrides: wrong }] }],
  ["permissions of a role", { roles: [{ name: "admin", permissions: wrong }] }],
])("a fixture whose %s are 200,000 wrong items is refused without a crash", async (_, fixture) => {
  expect((await problemsOf(fixture)).length).toBeGreaterThan(0);
});

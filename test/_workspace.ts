import { expect } from "vitest";
import { Clock } from "../src/store/clock.ts";
import type { KeyFilter } from "../src/store/key-index.ts";
import { Workspace } from "../src/store/workspace.ts";

export const APIS = ["api_a", "api_b"];
export const OWNERS = ["ann", "bob", undefined];

export async function givenWorkspace(): Promise<Workspace> {
  const surroundings = { clock: new Clock(0), seed: 1 };
  const workspace = new Workspace({ id: "ws_test" }, surroundings);
  for (const id of APIS) await workspace.apis.create({ id });
  return workspace;
}

/** Compares every page, count and lookup with what a scan of the collection finds. */
export function expectIndexesMatch({ keys, identities }: Workspace): void {
  const all = keys.all().toSorted((a, b) => (a.id < b.id ? -1 : 1));
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const key of all) expect(keys.get(key.id)).toBe(key);
  const filters: KeyFilter[] = APIS.flatMap((apiId) => [
    { apiId },
    ...["ann", "bob", "eve"].map((ownerId) => ({ apiId, ownerId })),
    ...identities.all().map(({ id }) => ({ apiId, identityId: id })),
  ]);
  for (const filter of filters) {
    const matching = all.filter((key) =>
      Object.entries(filter).every(([name, value]) => key[name as keyof KeyFilter] === value),
    );
    expect(keys.page(filter, undefined, 20_000)).toEqual(matching);
    expect(keys.countOf(filter)).toBe(matching.length);
    const middle = matching[matching.length >> 1]?.id;
    if (middle === undefined) continue;
    expect(keys.page(filter, middle, 2)).toEqual(
      matching.filter(({ id }) => id > middle).slice(0, 2),
    );
  }
}

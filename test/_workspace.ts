import { expect } from "vitest";
import { Clock } from "../src/state/time/clock.ts";
import { toKeyRecord } from "../src/service/operations/v1/key-record.ts";
import type { KeyFilter } from "../src/state/keys/key-table.ts";
import type { Key } from "../src/state/keys/key.ts";
import type { PublicWorkspace } from "../src/state/public/workspace.ts";
import { Workspace } from "../src/state/workspace.ts";

export const APIS = ["api_a", "api_b"];
export const OWNERS = ["ann", "bob", undefined];

const insides = new WeakMap<PublicWorkspace, Workspace>();

/** A workspace as tests hold it, with two APIs. */
export async function givenWorkspace(): Promise<PublicWorkspace> {
  const workspace = givenEmptyWorkspace();
  for (const id of APIS) await workspace.apis.create({ id });
  return workspace;
}

export function givenEmptyWorkspace(): PublicWorkspace {
  const workspace = new Workspace({ id: "ws_test" }, { clock: new Clock(0), seed: 1 });
  insides.set(workspace.public, workspace);
  return workspace.public;
}

/** The same workspace as operations use it. */
export function inside(workspace: PublicWorkspace): Workspace {
  return insides.get(workspace) as Workspace;
}

/** A page as sent: JSON of keys with commas between them. */
export function writtenPage(
  workspace: PublicWorkspace,
  filter: KeyFilter,
  { after, limit = 20_000 }: { readonly after?: string | undefined; readonly limit?: number } = {},
): string {
  const format = { name: "v1", write: (key: Key) => write(workspace, key) };
  const position = after === undefined ? undefined : { keyId: after, isInclusive: false };
  const page = inside(workspace).keys.jsonPage(filter, position, limit, format);
  return page!.slices.map((slice) => new TextDecoder().decode(slice)).join(",");
}

/** The current JSON of a key. */
export function write(workspace: PublicWorkspace, key: Key): string {
  return JSON.stringify(toKeyRecord(workspace, key, { decrypt: false }));
}

/** Compares every page, count and lookup with what a scan of the collection finds. */
export function expectIndexesMatch(workspace: PublicWorkspace): void {
  const { keys, identities } = inside(workspace);
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
      Object.entries(filter).every(([name, value]) => key[name as "apiId"] === value),
    );
    expect(keys.page(filter, undefined, 20_000)).toEqual(matching);
    expect(keys.countOf(filter)).toBe(matching.length);
    const texts = matching.map((key) => write(workspace, key));
    expect(writtenPage(workspace, filter)).toBe(texts.join(","));
    const middle = matching[matching.length >> 1]?.id;
    if (middle === undefined) continue;
    expect(keys.page(filter, { keyId: middle, isInclusive: false }, 2)).toEqual(
      matching.filter(({ id }) => id > middle).slice(0, 2),
    );
    expect(keys.page(filter, { keyId: middle, isInclusive: true }, 2)).toEqual(
      matching.filter(({ id }) => id >= middle).slice(0, 2),
    );
  }
}

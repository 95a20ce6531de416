import { UsageError } from "../../usage-error.ts";
import { idAt } from "../../store/ids/id-sequence.ts";
import { Permission, Role, type Api } from "../../store/records.ts";
import type { Workspace } from "../../store/workspace.ts";
import type { OnProgress } from "../fixtures/apply.ts";
import type { GenerateRequest } from "../fixtures/format.ts";
import { Customers } from "./customers.ts";
import { keyOf, originOf } from "./keys.ts";
import { roles, SPAN } from "./shares.ts";
import { Names } from "./names.ts";

export interface GenerateSettings {
  /** All records are created before this time (unix ms). */
  readonly until: number;
  /** Called every 1,000 keys, and at the end. */
  readonly onProgress?: OnProgress | undefined;
}

/** How many keys are made between two calls of `onProgress`. */
const PROGRESS_INTERVAL = 1_000;

/**
 * Adds made-up keys, with their customers and roles. Each record depends only on the random seed, the
 * time and its number, so a higher count adds keys and does not change the others.
 * @throws UsageError if no API of a request can have keys
 */
export function generate(
  workspace: Workspace,
  requests: readonly GenerateRequest[],
  { onProgress = () => {}, until }: GenerateSettings,
): void {
  const address = `${workspace.ids.seed}/generate`;
  const names = new Names();
  const customers = new Customers(address, until, names);
  const counts = [...countByApi(workspace, requests)].filter(([, count]) => count > 0);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return;
  addRoles(workspace, address, until);
  const { identities, ids, keys } = workspace;
  const apis = counts.map(([api, count]) => {
    const apiAddress = `${address}/api/${api.id}`;
    const source = { api, address: apiAddress, until, customers, identities, names };
    const origins = Array.from({ length: count }, (_, index) => originOf(source, index + 1));
    return { source, origins: origins.sort((a, b) => a.createdAt - b.createdAt) };
  });

  identities.addAll(newIdentities(workspace, customers));
  let done = 0;
  for (const { source, origins } of apis) {
    let last = "";
    keys.addAll(
      (function* () {
        for (const origin of origins) {
          const key = keyOf(source, origin);
          last = key.id;
          if (done % PROGRESS_INTERVAL === 0) onProgress(done, total);
          done += 1;
          // A snapshot may have the key already. A key with the same id is the same key.
          if (keys.get(key.id) === undefined) yield key;
        }
      })(),
    );
    ids.observe("key", last);
  }
  onProgress(total, total);
}

/**
 * The number of keys of each API. The keys of requests without an API are spread evenly, and the first
 * APIs get the remainder.
 */
function countByApi(
  { apis }: Workspace,
  requests: readonly GenerateRequest[],
): ReadonlyMap<Api, number> {
  const withKeyspace = apis.all().filter(({ keyspace }) => keyspace);
  const counts = new Map<Api, number>(withKeyspace.map((api) => [api, 0]));
  for (const { apiId, count } of requests) {
    const named = withKeyspace.filter(({ id }) => apiId === undefined || id === apiId);
    if (named.length === 0) throw new UsageError("generate: expected an API that can hold keys");
    named.forEach((api, index) => {
      const share = Math.floor(count / named.length) + (index < count % named.length ? 1 : 0);
      counts.set(api, (counts.get(api) ?? 0) + share);
    });
  }
  return counts;
}

/** Existing roles and permissions stay as they are. */
function addRoles(workspace: Workspace, address: string, until: number): void {
  const time = Math.max(0, until - SPAN);
  for (const name of new Set(Object.values(roles).flat())) {
    if (workspace.permissions.named(name) !== undefined) continue;
    const id = idAt("perm", time, `${address}/permission/${name}`);
    workspace.ids.observe("perm", id);
    workspace.permissions.addAll([new Permission({ id, name })]);
  }
  for (const [name, permissions] of Object.entries(roles)) {
    if (workspace.roles.named(name) !== undefined) continue;
    const id = idAt("role", time, `${address}/role/${name}`);
    workspace.ids.observe("role", id);
    workspace.roles.addAll([new Role({ id, name, permissions: [...permissions] })]);
  }
}

/** The identities of customers whose id and external id are not taken. */
function* newIdentities({ identities, ids }: Workspace, customers: Customers) {
  for (const identity of customers.identities()) {
    ids.observe("id", identity.id);
    const { externalId, id } = identity;
    if (identities.named(externalId) === undefined && identities.get(id) === undefined) {
      yield identity;
    }
  }
}

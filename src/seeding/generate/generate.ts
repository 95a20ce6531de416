import type { Steps } from "../../base/steps.ts";
import { idAt } from "../../store/ids/id-sequence.ts";
import { Permission, Role } from "../../store/records.ts";
import type { Workspace } from "../../store/workspace.ts";
import type { OnProgress } from "../fixtures/state-of-plan.ts";
import type { CountedRequest } from "../fixtures/generate-request.ts";
import { Customers, type Owners } from "./customers.ts";
import { keyOf, originOf, type KeySource, type Origin } from "./keys.ts";
import { Names } from "./names.ts";
import { batchesOf } from "./orders.ts";
import { ownersOf } from "./ordered-customers.ts";
import { roles, SPAN } from "./shares.ts";

export interface GenerateSettings {
  /** All records of requests without `madeUntil` are created before this time (unix ms). */
  readonly until: number;
  /** Called every 1,000 keys, and at the end. */
  readonly onProgress?: OnProgress | undefined;
}

/** How many keys are made between two calls of `onProgress`. */
const PROGRESS_INTERVAL = 1_000;
/** How many origins of keys are drawn in one step. */
const STEP = 100;

/**
 * Adds made-up keys, with their customers and roles. Each record depends only on the random seed, the
 * time and its number, so a higher count adds keys and does not change the others.
 * @throws UsageError if no API of a request can have keys
 */
export function* generate(
  workspace: Workspace,
  requests: readonly CountedRequest[],
  { onProgress = () => {}, until }: GenerateSettings,
): Steps<void> {
  const address = `${workspace.ids.seed}/generate`;
  const names = new Names();
  const batches = batchesOf(workspace, requests, { address, until });
  const total = batches.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return;
  // A customer may have keys of every API, so all of them signed up before the first of these times.
  const first = Math.min(...batches.map((batch) => batch.until));
  const madeUp = new Customers(address, first, names);
  if (batches.some(({ order }) => order.roles === undefined)) addRoles(workspace, address, first);
  const { identities, ids, keys } = workspace;
  const sources: { readonly source: KeySource; readonly origins: Origin[] }[] = [];
  for (const { count, order, ...batch } of batches) {
    const customers = ownersOf(workspace, order, madeUp, { address, until: first });
    const source = { ...batch, order, customers, identities, names };
    const origins: Origin[] = [];
    while (origins.length < count) {
      if (origins.push(originOf(source, origins.length + 1)) % STEP === 0) yield;
    }
    sources.push({ source, origins: origins.sort((a, b) => a.createdAt - b.createdAt) });
  }

  for (const customers of new Set(sources.map(({ source }) => source.customers))) {
    yield* identities.addInSteps(newIdentities(workspace, customers));
  }
  let done = 0;
  for (const { source, origins } of sources) {
    let last = "";
    yield* keys.addInSteps(
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
function* newIdentities({ identities, ids }: Workspace, customers: Owners) {
  for (const identity of customers.identities()) {
    ids.observe("id", identity.id);
    const { externalId, id } = identity;
    if (identities.named(externalId) === undefined && identities.get(id) === undefined) {
      yield identity;
    }
  }
}

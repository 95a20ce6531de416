import { sortedInSteps, STEP, type Steps } from "../../base/steps.ts";
import type { Identity } from "../../state/records/identities.ts";
import { Permission } from "../../state/records/permissions.ts";
import { Role } from "../../state/records/roles.ts";
import type { Workspace } from "../../state/workspace.ts";
import { startOfDay } from "../../state/time/refill.ts";
import type { CountedRequest } from "../format.ts";
import { Customers, ownersOf } from "./customers.ts";
import { Draw } from "./draw.ts";
import { Names } from "./names.ts";
import { keyOf } from "./keys.ts";
import { batchesOf } from "./orders.ts";
import { type KeySource, type Origin, originOf } from "./origins.ts";
import { permissions as allPermissions, roles } from "./parameters.ts";
import { generatedId } from "./times.ts";

/**
 * Adds generated keys, with their customers and roles. Each record depends only on the random seed, its API
 * and its number, so a higher count adds keys and does not change the others. Its times depend on the day
 * too: another day moves all of them by the same number of days.
 * @param startedAt when the clock started (unix ms). All keys were created and used before 00:00 UTC of that day
 * @throws UsageError if no API of a request can have keys
 */
export function* generate(
  workspace: Workspace,
  requests: readonly CountedRequest[],
  startedAt: number,
): Steps<void> {
  const address = `${workspace.ids.seed}/generate`;
  const until = startOfDay(startedAt);
  const names = new Names();
  const batches = batchesOf(workspace, requests, address);
  if (batches.every(({ count }) => count === 0)) return;
  const generated = new Customers(address, names);
  if (batches.some(({ order }) => order.roles === undefined)) addRoles(workspace, address);
  const { identities, ids, keys } = workspace;
  const shared = sharing();
  const sources: { readonly source: KeySource; readonly origins: Origin[] }[] = [];
  for (const { count, ...batch } of batches) {
    const customers = ownersOf(workspace, batch.order.customers, generated, address);
    const draw = new Draw(`${batch.address}/offsets`);
    const offsets = [draw.fraction(), draw.fraction()] as const;
    const source = { ...batch, customers, identities, names, offsets, shared, until };
    const origins: Origin[] = [];
    while (origins.length < count) {
      if (origins.push(originOf(source, origins.length + 1)) % STEP === 0) yield;
    }
    sources.push({ source, origins: yield* sortedInSteps(origins, isLater) });
  }

  for (const customers of new Set(sources.map(({ source }) => source.customers))) {
    yield* identities.addInSteps(newIdentities(workspace, yield* customers.identities()));
  }
  for (const { source, origins } of sources) {
    let last = "";
    yield* keys.addInSteps(
      (function* () {
        for (const origin of origins) {
          const key = keyOf(source, origin);
          last = key.id;
          // A snapshot may have the key already. A key with the same id is the same key.
          if (keys.get(key.id) === undefined) yield key;
        }
      })(),
    );
    ids.observe("key", last);
  }
}

/** A function that returns the same object for equal values, to save memory. */
function sharing(): KeySource["shared"] {
  const known = new Map<string, unknown>();
  return <Value>(value: Value) => {
    const text = JSON.stringify(value);
    const shared = known.get(text) ?? value;
    known.set(text, shared);
    // Equal texts have equal types.
    return shared as Value;
  };
}

function isLater(a: Origin, b: Origin): boolean {
  return a.time === b.time ? a.number > b.number : a.time > b.time;
}

/** Existing roles and permissions stay as they are. */
function addRoles({ ids, permissions, roles: known }: Workspace, parent: string): void {
  for (const name of allPermissions) {
    if (permissions.named(name) !== undefined) continue;
    const id = generatedId("perm", `${parent}/permission/${name}`);
    ids.observe("perm", id);
    permissions.addAll([new Permission({ id, name })]);
  }
  for (const [name, granted] of Object.entries(roles)) {
    if (known.named(name) !== undefined) continue;
    const id = generatedId("role", `${parent}/role/${name}`);
    ids.observe("role", id);
    known.addAll([new Role({ id, name, permissions: [...granted] })]);
  }
}

/** The identities of customers whose id and external id are not taken. */
function* newIdentities({ identities, ids }: Workspace, all: Iterable<Identity>) {
  for (const identity of all) {
    ids.observe("id", identity.id);
    const { externalId, id } = identity;
    if (identities.named(externalId) === undefined && identities.get(id) === undefined) {
      yield identity;
    }
  }
}

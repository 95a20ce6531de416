import * as z from "zod/mini";
import { identify, type IdSource } from "../id-maker.ts";
import { type Identified, ownId } from "../vocabulary.ts";
import { LargeTable } from "../tables/table.ts";
import { type NamedRatelimit, ratelimitList, toRatelimits } from "../limits/ratelimits.ts";
import { NamedSet } from "./named-set.ts";
import type { OnChange } from "./record-set.ts";
import { deepFreeze } from "../../base/json.ts";
import * as f from "../../schema/fields.ts";
import { identityMeta } from "../../schema/meta.ts";
import { lazily } from "../../base/lazily.ts";

export const identityInit = lazily(() =>
  f.objectOf({
    id: z.optional(ownId()),
    externalId: f.described(
      f.text({ min: 1, max: 256 }),
      "Keys refer to the identity by this id, and lists can be filtered by it.",
    ),
    meta: z.optional(identityMeta()),
    ratelimits: f.optional(
      ratelimitList(),
      "Rate limits that all keys of the identity share. Only v2 shows them.",
    ),
  }),
);
export type IdentityInit = z.infer<ReturnType<typeof identityInit>>;
/** The same as a person writes it. */
export type IdentityInput = z.input<ReturnType<typeof identityInit>>;

export class Identity {
  readonly id: string;
  readonly externalId: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly ratelimits: readonly NamedRatelimit[];

  constructor(init: Identified<IdentityInit>) {
    this.id = init.id;
    this.externalId = init.externalId;
    this.meta = deepFreeze(init.meta ?? {});
    this.ratelimits = toRatelimits(init.ratelimits);
  }
}

export type Identities = NamedSet<IdentityInput, Identity, "externalId", IdentityInit>;

export function createIdentities(source: IdSource, onChange: OnChange<Identity>): Identities {
  const table = new LargeTable<Identity>({
    id: { isAfter: (a, b) => (a.id ?? "") > (b.id ?? ""), at: (id) => ({ id }) },
    externalId: {
      isAfter: (a, b) => (a.externalId ?? "") > (b.externalId ?? ""),
      at: (externalId) => ({ externalId }),
    },
  });
  return new NamedSet("externalId", (externalId) => ({ externalId }), table, {
    noun: "identity",
    schema: identityInit,
    type: Identity,
    build: (init: IdentityInit) => new Identity(identify("id", init, source)),
    onChange,
  });
}

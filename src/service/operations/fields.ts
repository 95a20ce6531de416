import * as z from "zod/mini";
import * as f from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { timestamp } from "../../state/vocabulary.ts";

/**
 * A bound for lists of an input where the service has none. Other requests wait while an operation
 * runs, so a call with very many new names would block the emulator.
 */
export const MAX_ITEMS = 10_000;

export const about = {
  allPermissions: "The key's own permissions, then those of its roles, each once.",
  apiOfKey: "The API that the key belongs to.",
  autoApply: "True: every verification counts. False: only a verification that names the limit.",
  enabled: "Whether the key works.",
  externalId: "Links the key with an identity, which is created on first use.",
  ignored: "Accepted, and without effect.",
  keyId: "Identifier of the key.",
  limit: "Uses in one window.",
  name: "For a person to read.",
  uses: "Uses left.",
  usesOrAny: "Uses left; null: any number.",
  usesToChange: "The change to the uses left.",
  window: "The window, in milliseconds.",
} as const;

export const permanent = lazily(() =>
  f.optional(f.flag(), "Accepted; clients cannot see a difference. Default: false."),
);

export const newKeyMembers = lazily(() => ({
  keyId: f.described(f.text(), "Identifier of the new key."),
  key: f.described(f.text(), "The key value. It is shown only here."),
}));

export const listMembers = lazily(() => ({
  apiId: f.described(f.text({ min: 1 }), "The API whose keys to list."),
  externalId: f.optional(
    f.text({ min: 1 }),
    "Only keys that are linked with the identity of this external id.",
  ),
}));

/** Members of a key as both versions return it, by their names in v1. */
export const shownMembers = lazily(() => ({
  id: f.described(f.text(), "Key identifier."),
  start: f.described(f.text(), "Leading characters of the key value."),
  name: z.optional(f.described(f.text(), about.name)),
  createdAt: timestamp("When the key was created."),
  updatedAt: z.optional(timestamp("When the key last changed; absent until it does.")),
  expires: z.optional(timestamp("When the key expires.")),
  enabled: f.described(f.flag(), "Whether the key works. Disabled keys are listed too."),
  plaintext: f.optional(
    f.text(),
    "The key value; only with `decrypt`, only for a key created `recoverable`.",
  ),
}));

export const identityMembers = lazily(() => ({
  id: f.described(f.text(), "Identity identifier."),
  externalId: f.described(f.text(), "Your id for the identity."),
}));

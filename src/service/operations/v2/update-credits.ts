import * as z from "zod/mini";
import { badRequest } from "../../../api/errors.ts";
import * as f from "../../../schema/fields.ts";
import { lazily } from "../../../base/lazily.ts";
import type { Key, KeyMembers } from "../../../state/keys/key.ts";
import { about } from "../fields.ts";
import { onKey, operationOfV2 } from "../operation.ts";
import { refill as refillRecord, toRefill } from "./key-record.ts";
import { refusals, refuse, requireKey } from "./refusals.ts";

const updateCreditsBody = lazily(() =>
  f.closedObjectOf({
    keyId: f.described(f.text({ min: 3 }), about.keyId),
    operation: f.described(f.choice(["set", "increment", "decrement"]), about.usesToChange),
    value: f.optional(
      z.nullable(f.integer({ min: 0 })),
      "How many uses; null or nothing with `set`: any number.",
    ),
  }),
);

export const updateCredits = operationOfV2("keys.updateCredits", {
  summary: "Change the uses left of a key",
  input: updateCreditsBody,
  output: () =>
    f.objectOf({
      data: f.objectOf({
        refill: z.optional(refillRecord()),
        remaining: f.described(z.nullable(f.integer()), about.usesOrAny),
      }),
    }),

  run(call) {
    const { demand, input, workspace } = call;
    const key = requireKey(call);
    demand([onKey(key, "update_key")]);
    // As in the service, `updatedAt` does not change.
    const { refill, remaining } = workspace.keys.revise(key, membersOf(key, input));
    return { data: { refill: refill && toRefill(refill), remaining: remaining ?? null } };
  },
});

function membersOf(
  { remaining }: Key,
  { operation, value }: z.output<ReturnType<typeof updateCreditsBody>>,
): Partial<Pick<KeyMembers, "refill" | "remaining">> {
  if (operation === "set") {
    // As in the service, null removes the refill too. Without a value, the refill is kept.
    return value === null ? { remaining: undefined, refill: undefined } : { remaining: value };
  }
  if (value === null || value === undefined) {
    const got = value === null ? "null" : "nothing";
    throw refuse(refusals.noValue, `value: expected a number to ${operation} by, got ${got}`);
  }
  if (remaining === undefined) {
    const hint = `the key can be used any number of times; \`set\` a value, not ${operation}`;
    throw refuse(refusals.unlimitedCredits, hint);
  }
  // Unlike in v1, the uses left are never below 0.
  const changed = Math.max(0, operation === "increment" ? remaining + value : remaining - value);
  if (changed > f.MAX_INTEGER) throw badRequest("value: expected uses left of at most 2^63");
  return { remaining: changed };
}

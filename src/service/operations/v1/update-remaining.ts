import * as z from "zod/mini";
import { badRequest } from "../../../api/errors.ts";
import * as f from "../../../schema/fields.ts";
import type { Key } from "../../../state/keys/key.ts";
import { about } from "../fields.ts";
import { onKey, operationOfV1 } from "../operation.ts";
import { requireKey } from "./shared.ts";

export const updateRemaining = operationOfV1("keys.updateRemaining", {
  summary: "Change the uses left of a key",
  input: () =>
    f.objectOf({
      keyId: f.described(f.text(), about.keyId),
      op: f.described(f.choice(["increment", "decrement", "set"]), about.usesToChange),
      value: f.described(z.nullable(f.integer()), "How many uses; null with `set`: any number."),
    }),
  output: () => f.objectOf({ remaining: f.described(z.nullable(f.integer()), about.usesOrAny) }),

  run({ demand, input: { keyId, op, value }, workspace }) {
    const key = requireKey(workspace, keyId);
    demand([onKey(key, "update_key")]);
    const remaining = op === "set" ? value : changed(key, op, value);
    workspace.keys.revise(key, {
      remaining: remaining ?? undefined,
      updatedAt: workspace.clock.now(),
    });
    return { remaining };
  },
});

/** Unlike in v2, the uses left can fall below 0. */
function changed({ remaining }: Key, op: "increment" | "decrement", value: number | null): number {
  if (remaining === undefined) {
    throw badRequest(`op: the key can be used any number of times; \`set\` a value, not ${op}`);
  }
  if (value === null) throw badRequest(`value: expected a number to ${op} by, got null`);
  const result = op === "increment" ? remaining + value : remaining - value;
  if (Math.abs(result) > f.MAX_INTEGER) {
    throw badRequest("value: expected uses left of at most 2^63, or as many below 0");
  }
  return result;
}

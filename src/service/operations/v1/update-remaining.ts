import * as z from "zod/mini";
import { badRequest } from "../../../api/errors.ts";
import { choice, docs, integer, MAX_INTEGER, objectOf, text } from "../../../schema/fields.ts";
import type { Key } from "../../../state/keys/key.ts";
import { about } from "../fields.ts";
import { onKey, operationOfV1 } from "../operation.ts";
import { requireKey } from "./shared.ts";

export const updateRemaining = operationOfV1("keys.updateRemaining", {
  summary: "Change the uses left of a key",
  input: () =>
    objectOf({
      keyId: text().register(docs, about.keyId),
      op: choice(["increment", "decrement", "set"]).register(docs, about.usesToChange),
      value: z
        .nullable(integer())
        .register(docs, { description: "How many uses; null with `set`: any number." }),
    }),
  output: () => objectOf({ remaining: z.nullable(integer()).register(docs, about.usesOrAny) }),

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
  if (Math.abs(result) > MAX_INTEGER) {
    throw badRequest("value: expected uses left of at most 2^63, or as many below 0");
  }
  return result;
}

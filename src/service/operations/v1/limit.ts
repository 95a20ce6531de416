import * as z from "zod/mini";
import { lazily } from "../../../base/lazily.ts";
import * as f from "../../../schema/fields.ts";
import { wholeOrLength } from "../../../base/wording/text.ts";
import { checkFixedLimits, type LimitResult } from "../../../state/limits/counters.ts";
import { about } from "../fields.ts";
import {
  aboutLimiting,
  adviseOfLimits,
  limitMembers,
  takeUses,
  toFixedRequest,
} from "../limits.ts";
import { createNamespace, onNamespace, operationOfV1 } from "../operation.ts";

/** Data that the service only logs. */
const ignoredData = lazily(() => {
  const error = "expected a string, a number, true, false or null";
  const value = z.union([f.text(), z.number(), f.flag(), z.null()], { error });
  return f.described(z.record(z.string(), value, { error: "expected an object" }), about.ignored);
});

const limitBody = lazily(() =>
  f.described(
    f.objectOf({
      namespace: z._default(
        f.described(f.text(), "The name of a namespace, and not its id."),
        "default",
      ),
      identifier: f.described(f.text(), "Whose uses are counted, like the id of a user."),
      limit: f.described(f.integer({ min: 1 }), about.limit),
      duration: f.described(f.integer({ min: 1000 }), about.window),
      cost: limitMembers().cost,
      async: f.optional(
        f.flag(),
        "Counted apart from other calls, and otherwise alike. Default: false.",
      ),
      meta: z.optional(ignoredData()),
      resources: z.optional(
        f.described(
          f.listOf(
            f.objectOf({
              type: f.text(),
              id: f.text(),
              name: z.optional(f.text()),
              meta: z.optional(ignoredData()),
            }),
            "resources",
          ),
          about.ignored,
        ),
      ),
    }),
    {
      id: "RatelimitsLimitBody",
      description: "A use to count, and the limit for it.",
      examples: [{ namespace: "email", identifier: "user_1", limit: 10, duration: 60_000 }],
    },
  ),
);

export const limit = operationOfV1("ratelimits.limit", {
  ...aboutLimiting,
  input: limitBody,
  output: () => {
    const { limit, reset, success } = limitMembers();
    const remaining = f.described(f.integer({ min: 0 }), "Uses left.");
    return f.objectOf({ limit, remaining, reset, success });
  },

  run(call) {
    const { answer, demand, input, workspace } = call;
    const { ratelimitNamespaces } = workspace;
    let namespace = ratelimitNamespaces.named(input.namespace);
    if (namespace === undefined || namespace.deleted) {
      const message = `namespace ${wholeOrLength(input.namespace, 512)} not found`;
      demand([createNamespace], { code: "NOT_FOUND", message });
      // As in the service, the namespace stays even if the next check refuses, and a deleted one is used.
      namespace ??= ratelimitNamespaces.ensure(input.namespace);
    }
    demand([onNamespace(namespace, "limit")]);
    const request = toFixedRequest(namespace, input);
    const { limit } = request;
    const results = takeUses(workspace, [request], answer, checkFixedLimits);
    adviseOfLimits(call, [request], results);
    const { exceeded, remaining, reset } = results[0] as LimitResult;
    return { limit, remaining, reset, success: !exceeded };
  },
});

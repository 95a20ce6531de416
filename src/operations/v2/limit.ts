import * as z from "zod/mini";
import { docs, flag, integer, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { timestamp } from "../../store/vocabulary.ts";
import type { LimitResult } from "../../usage/rate-limit.ts";
import { toLimitRequest } from "../limit-request.ts";
import { operationOfV2 } from "../operation.ts";
import { createNamespace, onNamespace } from "../requirements.ts";
import { checkNotDeleted, limitBody } from "./namespaces.ts";

/** Members of a result that `ratelimit.multiLimit` has too. */
export const limitResultMembers = lazily(() => ({
  limit: integer({ min: 0 }).register(docs, {
    description: "Uses in one window: those of the override, if one applies.",
  }),
  overrideId: z.optional(text().register(docs, { description: "Only if an override applies." })),
  remaining: integer({ min: 0 }).register(docs, { description: "Uses left; 0 for a refusal." }),
  reset: timestamp("When the window ends."),
}));

export const limit = operationOfV2({
  name: "ratelimit.limit",
  summary: "Count a use, or refuse it",
  description:
    "Counts a use of an identifier in a namespace, which is made on first use. A use over the limit is answered 200 with `success: false`, and is not counted.",
  input: limitBody,
  output: () => {
    const { limit, overrideId, remaining, reset } = limitResultMembers();
    const success = flag().register(docs, { description: "Whether the use was within the limit." });
    return objectOf({ data: objectOf({ limit, overrideId, remaining, reset, success }) });
  },

  run({ demand, input, workspace }) {
    const { clock, counters, ratelimitNamespaces } = workspace;
    let namespace = ratelimitNamespaces.find(input.namespace);
    if (namespace === undefined) {
      demand([createNamespace]);
      // As in the service, it stays if the next demand refuses, whose message names the new id.
      namespace = ratelimitNamespaces.ensure(input.namespace);
    }
    checkNotDeleted(namespace);
    demand([onNamespace(namespace, "limit")]);
    const request = toLimitRequest(namespace, input);
    const [result] = counters.take([request], clock.now());
    const { exceeded, remaining, reset } = result as LimitResult;
    const { limit, override } = request;
    return { data: { limit, overrideId: override?.id, remaining, reset, success: !exceeded } };
  },
});

import { docs, flag, listOf, objectOf, text } from "../../schema/fields.ts";
import type { RatelimitNamespace } from "../../store/limits/namespaces.ts";
import type { LimitResult } from "../../usage/rate-limit.ts";
import { toLimitRequest } from "../limit-request.ts";
import { operationOfV2, type AdmittedCall } from "../operation.ts";
import { createNamespace } from "../requirements.ts";
import { limitResultMembers } from "./limit.ts";
import { checkNotDeleted, limitBody, type LimitBody } from "./namespaces.ts";

type MultiLimitCall = Pick<
  AdmittedCall<readonly LimitBody[]>,
  "demand" | "input" | "may" | "workspace"
>;

export const multiLimit = operationOfV2({
  name: "ratelimit.multiLimit",
  summary: "Count several uses, or none",
  description:
    "Checks several limits at once. Either all uses are counted, or, if one is over its limit, none. Both are answered 200.",
  input: () => listOf(limitBody(), "limits", { min: 1, max: 100 }),
  output: () => {
    const { limit, overrideId, remaining, reset } = limitResultMembers();
    const passed = flag().register(docs, {
      description: "Whether the use was within its limit, whatever the others were.",
    });
    const item = objectOf({
      identifier: text(),
      limit,
      namespace: text().register(docs, { description: "As in the request: its name or its id." }),
      overrideId,
      passed,
      remaining,
      reset,
    }).register(docs, { id: "MultiLimitResult", description: "The outcome of one use." });
    return objectOf({
      data: objectOf({
        limits: listOf(item, "results"),
        passed: flag().register(docs, { description: "Whether all uses were counted." }),
      }),
    });
  },

  run(call) {
    const { input, workspace } = call;
    const namespaces = ensureNamespaces(call);
    demandLimits(call, namespaces);
    for (const namespace of namespaces) checkNotDeleted(namespace);
    const requests = input.map((item, index) =>
      toLimitRequest(namespaces[index] as RatelimitNamespace, item),
    );
    const results = workspace.counters.take(requests, workspace.clock.now());
    const limits = requests.map(({ limit, name: identifier, override }, index) => {
      const { exceeded, remaining, reset } = results[index] as LimitResult;
      const { namespace } = input[index] as LimitBody;
      const passed = !exceeded;
      return { identifier, limit, namespace, overrideId: override?.id, passed, remaining, reset };
    });
    return { data: { limits, passed: limits.every(({ passed }) => passed) } };
  },
});

/** The namespace of each item. Those that are missing are made, if the token may make them. */
function ensureNamespaces({ demand, input, workspace }: MultiLimitCall): RatelimitNamespace[] {
  const { ratelimitNamespaces } = workspace;
  const isMissing = input.some(({ namespace }) => !ratelimitNamespaces.find(namespace));
  if (isMissing) demand([createNamespace]);
  return input.map(
    ({ namespace }) => ratelimitNamespaces.find(namespace) ?? ratelimitNamespaces.ensure(namespace),
  );
}

/** The right for every namespace, or one for each item. The message names all of them. */
function demandLimits(
  { demand, may }: MultiLimitCall,
  namespaces: readonly RatelimitNamespace[],
): void {
  const any = "ratelimit.*.limit";
  const hasAny = may([{ oneOf: [any] }]);
  const own = namespaces.map(({ id }) => `ratelimit.${id}.limit`);
  demand(
    own.map((permission, index) => ({
      oneOf: hasAny || index === 0 ? [any, permission] : [permission],
    })),
  );
}

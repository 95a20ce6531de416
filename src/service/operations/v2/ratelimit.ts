import type * as z from "zod/mini";
import { lazily } from "../../../base/lazily.ts";
import * as f from "../../../schema/fields.ts";
import { RatelimitNamespace, type RatelimitOverride } from "../../../state/records/namespaces.ts";
import { about } from "../fields.ts";
import {
  aboutLimiting,
  adviseOfLimits,
  limitMembers,
  takeUses,
  toLimitRequest,
} from "../limits.ts";
import { quoted } from "../../../base/wording/text.ts";
import { describeOverrides, describeRecords } from "../hints.ts";
import { type AdmittedCall, createNamespace, onNamespace, operationOfV2 } from "../operation.ts";
import { refusals, refuse, refuseUnknown } from "./refusals.ts";
import { pageMembers, pageOf, pagination } from "./fields.ts";
import type { LimitResult } from "../../../state/limits/counters.ts";

// What the operations on namespaces of rate limits share.

const namespaceMember = lazily(() =>
  f.described(f.text({ min: 1, max: 512 }), "The name of a namespace, or its id."),
);

const identifierMember = lazily(() => f.text({ min: 1, max: 512 }));

/** An item of `ratelimit.multiLimit`, and the body of `ratelimit.limit`. */
const limitBody = lazily(() =>
  f.described(
    f.closedObjectOf({
      namespace: namespaceMember(),
      identifier: f.described(identifierMember(), "Whose uses are counted, like the id of a user."),
      limit: f.described(f.integer({ min: 1 }), about.limit),
      duration: f.described(f.integer({ min: 1000, max: 2_592_000_000 }), about.window),
      cost: limitMembers().cost,
    }),
    {
      id: "RatelimitLimitBody",
      description: "A use to count, and the limit for it.",
      examples: [{ namespace: "email", identifier: "user_1", limit: 10, duration: 60_000 }],
    },
  ),
);
type LimitBody = z.output<ReturnType<typeof limitBody>>;

const shownOverride = lazily(() =>
  f.component("Override", "A limit and a window for identifiers.", {
    duration: f.described(f.integer({ min: 1000 }), about.window),
    identifier: f.described(f.text(), "As it is stored, with its `*`."),
    limit: f.described(f.integer({ min: 0 }), about.limit),
    overrideId: f.text(),
  }),
);

function toOverride(override: RatelimitOverride): z.input<ReturnType<typeof shownOverride>> {
  const { duration, id, identifier, limit } = override;
  return { duration, identifier, limit, overrideId: id };
}

type CallToNamespace = AdmittedCall<{ readonly namespace: string }>;

/**
 * The namespace that a call names, also a deleted one.
 * @param action the right that the call needs, which decides what the hint shows
 * @throws ApiError if the workspace has no such namespace
 */
function findNamespace(call: CallToNamespace, action: string): RatelimitNamespace {
  const { input, may, workspace } = call;
  const namespace = workspace.ratelimitNamespaces.find(input.namespace);
  if (namespace !== undefined) return namespace;
  const missing = `no namespace has the name or id ${quoted(input.namespace)}`;
  const isShown = may([{ oneOf: [`ratelimit.*.${action}`] }]);
  const others = isShown ? describeRecords(workspace, "ratelimitNamespaces") : undefined;
  throw refuseUnknown(refusals.unknownNamespace, missing, others);
}

/** The same, for operations that answer as if a deleted namespace never existed. */
function requireNamespace(call: CallToNamespace, action: string): RatelimitNamespace {
  const namespace = findNamespace(call, action);
  if (!namespace.deleted) return namespace;
  throw refuse(refusals.unknownNamespace, deletedHint(namespace));
}

/** @throws ApiError 410 for a deleted namespace */
function checkNotDeleted(namespace: RatelimitNamespace): void {
  if (namespace.deleted) throw refuse(refusals.deletedNamespace, deletedHint(namespace));
}

function deletedHint({ id }: RatelimitNamespace): string {
  return `a fixture or emulator.ratelimitNamespaces gives ${id} \`deleted: true\``;
}

export const setOverride = operationOfV2("ratelimit.setOverride", {
  summary: "Set the limit of identifiers",
  description:
    "Gives an identifier, or all that a pattern with `*` matches, a limit and a window that replace those of calls.",
  input: () =>
    f.closedObjectOf({
      namespace: namespaceMember(),
      identifier: f.described(
        identifierMember(),
        "`*` stands for any characters except line breaks.",
      ),
      limit: f.described(f.integer({ min: 0 }), "Uses in one window; 0 refuses every call."),
      duration: f.described(f.integer({ min: 1000 }), about.window),
    }),
  output: () => f.objectOf({ data: f.objectOf({ overrideId: f.text() }) }),

  run(call) {
    const { demand, input, workspace } = call;
    const namespace = requireNamespace(call, "set_override");
    const known = RatelimitNamespace.overrideOf(namespace, input.identifier);
    demand([onNamespace(namespace, "set_override", known?.id)]);
    return { data: { overrideId: workspace.ratelimitNamespaces.setOverride(namespace, input).id } };
  },
});

export const getOverride = operationOfV2("ratelimit.getOverride", {
  isReadOnly: true,
  summary: "Get the override that applies to an identifier",
  input: () =>
    f.closedObjectOf({
      namespace: namespaceMember(),
      identifier: f.described(
        identifierMember(),
        "Finds the override with this identifier, else one whose `*` matches it.",
      ),
    }),
  output: () => f.objectOf({ data: shownOverride() }),

  run(call) {
    const namespace = requireNamespace(call, "read_override");
    const override = RatelimitNamespace.overrideFor(namespace, call.input.identifier);
    // Without the permission, the service answers as if there was no such override.
    const needed = onNamespace(namespace, "read_override", override?.id);
    call.demand([needed], refusals.unknownOverride);
    if (override === undefined)
      throw refuse(refusals.unknownOverride, describeOverrides(namespace));
    return { data: toOverride(override) };
  },
});

export const listOverrides = operationOfV2("ratelimit.listOverrides", {
  isReadOnly: true,
  summary: "List the overrides of a namespace",
  input: () => f.closedObjectOf({ namespace: namespaceMember(), ...pageMembers({ limit: 50 }) }),
  output: () =>
    f.objectOf({ data: f.listOf(shownOverride(), "overrides"), pagination: pagination() }),

  *run(call) {
    // As in the service, the overrides of a deleted namespace are listed too.
    const namespace = findNamespace(call, "read_override");
    call.demand([onNamespace(namespace, "read_override")]);
    const { items, pagination: toNext } = yield* pageOf(byId(namespace), call.input);
    return { data: items.map(toOverride), pagination: toNext };
  },
});

/** Overrides by id. A fixture may list them in another order. */
function byId({ overrides }: RatelimitNamespace) {
  return {
    from: (id = "") =>
      overrides.filter((each) => each.id >= id).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

export const deleteOverride = operationOfV2("ratelimit.deleteOverride", {
  summary: "Delete an override",
  input: () =>
    f.closedObjectOf({
      namespace: namespaceMember(),
      identifier: f.described(
        identifierMember(),
        "Exactly the identifier of the override, with its `*`.",
      ),
    }),
  output: () => f.objectOf({ data: f.objectOf({}) }),

  run(call) {
    const { demand, input, may, workspace } = call;
    const namespace = requireNamespace(call, "delete_override");
    const override = RatelimitNamespace.overrideOf(namespace, input.identifier);
    demand([onNamespace(namespace, "delete_override", override?.id)]);
    if (override === undefined) {
      const mayRead = may([onNamespace(namespace, "read_override")]);
      throw refuse(refusals.unknownOverride, mayRead ? describeOverrides(namespace) : undefined);
    }
    workspace.ratelimitNamespaces.removeOverride(namespace, override);
    return { data: {} };
  },
});

const limitResultMembers = lazily(() => ({
  limit: limitMembers().limit,
  overrideId: f.optional(f.text(), "Only if an override applies."),
  remaining: f.described(f.integer({ min: 0 }), "Uses left; 0 for a refusal."),
  reset: limitMembers().reset,
}));

export const limit = operationOfV2("ratelimit.limit", {
  ...aboutLimiting,
  input: limitBody,
  output: () => {
    const { success } = limitMembers();
    return f.objectOf({ data: f.objectOf({ ...limitResultMembers(), success }) });
  },

  run(call) {
    const { answer, demand, input, workspace } = call;
    const { ratelimitNamespaces } = workspace;
    let namespace = ratelimitNamespaces.find(input.namespace);
    if (namespace === undefined) {
      demand([createNamespace]);
      // As in the service, the namespace stays even if the next check refuses, whose message names the
      // new id.
      namespace = ratelimitNamespaces.ensure(input.namespace);
    }
    checkNotDeleted(namespace);
    demand([onNamespace(namespace, "limit")]);
    const request = toLimitRequest(namespace, input);
    const results = takeUses(workspace, [request], answer);
    adviseOfLimits(call, [request], results);
    const { exceeded, remaining, reset } = results[0] as LimitResult;
    const { limit, override } = request;
    return { data: { limit, overrideId: override?.id, remaining, reset, success: !exceeded } };
  },
});

type MultiLimitCall = AdmittedCall<readonly LimitBody[]>;

export const multiLimit = operationOfV2("ratelimit.multiLimit", {
  summary: "Count several uses, or none",
  description:
    "Checks several limits at once. Either all uses are counted, or, if one is over its limit, none. Both are answered 200.",
  input: () => f.listOf(limitBody(), "limits", { min: 1, max: 100 }),
  output: () => {
    const { limit, overrideId, remaining, reset } = limitResultMembers();
    const passed = f.described(
      f.flag(),
      "Whether the use was within its limit, whatever the others were.",
    );
    const item = f.component("MultiLimitResult", "The outcome of one use.", {
      identifier: f.text(),
      limit,
      namespace: f.described(f.text(), "As in the request: its name or its id."),
      overrideId,
      passed,
      remaining,
      reset,
    });
    return f.objectOf({
      data: f.objectOf({
        limits: f.listOf(item, "results"),
        passed: f.described(f.flag(), "Whether all uses were counted."),
      }),
    });
  },

  run(call) {
    const { answer, input, workspace } = call;
    const namespaces = ensureNamespaces(call);
    demandLimits(call, namespaces);
    for (const namespace of namespaces) checkNotDeleted(namespace);
    const requests = input.map((item, index) =>
      toLimitRequest(namespaces[index] as RatelimitNamespace, item),
    );
    const results = takeUses(workspace, requests, answer);
    adviseOfLimits(call, requests, results);
    const limits = requests.map(({ limit, name: identifier, override }, index) => {
      const { exceeded, remaining, reset } = results[index] as LimitResult;
      const { namespace } = input[index] as LimitBody;
      const passed = !exceeded;
      return { identifier, limit, namespace, overrideId: override?.id, passed, remaining, reset };
    });
    return { data: { limits, passed: limits.every(({ passed }) => passed) } };
  },
});

/** The namespace of each item. Missing ones are created if the token may create them. */
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

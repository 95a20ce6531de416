import * as z from "zod/mini";
import { lazily } from "../../base/lazily.ts";
import { closedObjectOf, described, docs, integer, objectOf, text } from "../../schema/fields.ts";
import type { RatelimitNamespace, RatelimitOverride } from "../../store/limits/namespaces.ts";
import { about } from "../fields.ts";
import { quoted } from "../../base/wording/shorten.ts";
import { describeNamespaces } from "../hints.ts";
import type { AdmittedCall } from "../operation.ts";
import { refusals, refuse } from "./refusals.ts";

// What the operations on namespaces of rate limits share.

export const namespaceMember = lazily(() =>
  text({ min: 1, max: 512 }).register(docs, {
    description: "The name of a namespace, or its id.",
  }),
);

export const identifierMember = lazily(() => text({ min: 1, max: 512 }));

/** An item of `ratelimit.multiLimit`, and the body of `ratelimit.limit`. */
export const limitBody = lazily(() =>
  closedObjectOf({
    namespace: namespaceMember(),
    identifier: described(identifierMember(), "Whose uses are counted, like the id of a user."),
    limit: integer({ min: 1 }).register(docs, about.limit),
    duration: integer({ min: 1000, max: 2_592_000_000 }).register(docs, about.window),
    cost: z.optional(
      integer({ min: 0 }).register(docs, {
        description: "How many uses the call counts as. Default: 1.",
      }),
    ),
  }).register(docs, {
    id: "RatelimitLimitBody",
    description: "A use to count, and the limit for it.",
    examples: [{ namespace: "email", identifier: "user_1", limit: 10, duration: 60_000 }],
  }),
);
export type LimitBody = z.output<ReturnType<typeof limitBody>>;

export const shownOverride = lazily(() =>
  objectOf({
    duration: integer({ min: 1000 }).register(docs, about.window),
    identifier: text().register(docs, { description: "As it is stored, with its `*`." }),
    limit: integer({ min: 0 }).register(docs, about.limit),
    overrideId: text(),
  }).register(docs, { id: "Override", description: "A limit and a window for identifiers." }),
);

export function toOverride(override: RatelimitOverride): z.input<ReturnType<typeof shownOverride>> {
  const { duration, id, identifier, limit } = override;
  return { duration, identifier, limit, overrideId: id };
}

type CallToNamespace = Pick<
  AdmittedCall<{ readonly namespace: string }>,
  "input" | "may" | "workspace"
>;

/**
 * The namespace that a call names, also a deleted one.
 * @param action the right that the call needs, which decides what the hint shows
 * @throws ApiError if the workspace has no such namespace
 */
export function findNamespace(call: CallToNamespace, action: string): RatelimitNamespace {
  const { input, may, workspace } = call;
  const namespace = workspace.ratelimitNamespaces.find(input.namespace);
  if (namespace !== undefined) return namespace;
  const missing = `no namespace has the name or id ${quoted(input.namespace)}`;
  // A token without the right for every namespace must not learn which ones exist.
  const isShown = may([{ oneOf: [`ratelimit.*.${action}`] }]);
  const rest = isShown ? `; ${describeNamespaces(workspace)}` : "";
  throw refuse(refusals.unknownNamespace, missing + rest);
}

/** The same, for operations to which a deleted namespace is an unknown one. */
export function requireNamespace(call: CallToNamespace, action: string): RatelimitNamespace {
  const namespace = findNamespace(call, action);
  if (!namespace.deleted) return namespace;
  throw refuse(refusals.unknownNamespace, deletedHint(namespace));
}

/** @throws ApiError 410 for a deleted namespace, in operations that tell */
export function checkNotDeleted(namespace: RatelimitNamespace): void {
  if (namespace.deleted) throw refuse(refusals.deletedNamespace, deletedHint(namespace));
}

function deletedHint({ id }: RatelimitNamespace): string {
  return `a fixture or emulator.ratelimitNamespaces gives ${id} \`deleted: true\``;
}

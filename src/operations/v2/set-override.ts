import { closedObjectOf, described, docs, integer, objectOf, text } from "../../schema/fields.ts";
import { about } from "../fields.ts";
import { operationOfV2 } from "../operation.ts";
import { onNamespace } from "../requirements.ts";
import { identifierMember, namespaceMember, requireNamespace } from "./namespaces.ts";

export const setOverride = operationOfV2({
  name: "ratelimit.setOverride",
  summary: "Set the limit of identifiers",
  description:
    "Gives an identifier, or all that a pattern with `*` matches, a limit and a window that replace those of calls.",
  input: () =>
    closedObjectOf({
      namespace: namespaceMember(),
      identifier: described(
        identifierMember(),
        "`*` stands for any number of characters, but for no line break.",
      ),
      limit: integer({ min: 0 }).register(docs, {
        description: "Uses in one window; 0 refuses every call.",
      }),
      duration: integer({ min: 1000 }).register(docs, about.window),
    }),
  output: () => objectOf({ data: objectOf({ overrideId: text() }) }),

  run(call) {
    const { demand, input, workspace } = call;
    const namespace = requireNamespace(call, "set_override");
    demand([onNamespace(namespace, "set_override")]);
    return { data: { overrideId: workspace.ratelimitNamespaces.setOverride(namespace, input).id } };
  },
});

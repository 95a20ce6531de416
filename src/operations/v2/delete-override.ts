import { closedObjectOf, described, objectOf } from "../../schema/fields.ts";
import { RatelimitNamespace } from "../../store/limits/namespaces.ts";
import { describeOverrides } from "../hints.ts";
import { operationOfV2 } from "../operation.ts";
import { onNamespace } from "../requirements.ts";
import { identifierMember, namespaceMember, requireNamespace } from "./namespaces.ts";
import { refusals, refuse } from "./refusals.ts";

export const deleteOverride = operationOfV2({
  name: "ratelimit.deleteOverride",
  summary: "Delete an override",
  input: () =>
    closedObjectOf({
      namespace: namespaceMember(),
      identifier: described(
        identifierMember(),
        "Exactly the identifier of the override, with its `*`.",
      ),
    }),
  output: () => objectOf({ data: objectOf({}) }),

  run(call) {
    const { demand, input, may, workspace } = call;
    const namespace = requireNamespace(call, "delete_override");
    demand([onNamespace(namespace, "delete_override")]);
    const override = RatelimitNamespace.overrideOf(namespace, input.identifier);
    if (override === undefined) {
      const mayRead = may([onNamespace(namespace, "read_override")]);
      throw refuse(refusals.unknownOverride, mayRead ? describeOverrides(namespace) : undefined);
    }
    workspace.ratelimitNamespaces.removeOverride(namespace, override);
    return { data: {} };
  },
});

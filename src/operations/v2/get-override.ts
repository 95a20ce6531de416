import { closedObjectOf, described, objectOf } from "../../schema/fields.ts";
import { RatelimitNamespace } from "../../store/limits/namespaces.ts";
import { describeOverrides } from "../hints.ts";
import { operationOfV2 } from "../operation.ts";
import { onNamespace } from "../requirements.ts";
import {
  identifierMember,
  namespaceMember,
  requireNamespace,
  shownOverride,
  toOverride,
} from "./namespaces.ts";
import { refusals, refuse } from "./refusals.ts";

export const getOverride = operationOfV2({
  name: "ratelimit.getOverride",
  isReadOnly: true,
  summary: "Get the override that applies to an identifier",
  input: () =>
    closedObjectOf({
      namespace: namespaceMember(),
      identifier: described(
        identifierMember(),
        "Finds the override with this identifier, else one whose `*` matches it.",
      ),
    }),
  output: () => objectOf({ data: shownOverride() }),

  run(call) {
    const namespace = requireNamespace(call, "read_override");
    // Without the permission, the service answers as if there was no such override.
    call.demand([onNamespace(namespace, "read_override")], refusals.unknownOverride);
    const override = RatelimitNamespace.overrideFor(namespace, call.input.identifier);
    if (override === undefined)
      throw refuse(refusals.unknownOverride, describeOverrides(namespace));
    return { data: toOverride(override) };
  },
});

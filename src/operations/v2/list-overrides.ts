import { closedObjectOf, listOf, objectOf } from "../../schema/fields.ts";
import type { RatelimitNamespace } from "../../store/limits/namespaces.ts";
import { operationOfV2 } from "../operation.ts";
import { onNamespace } from "../requirements.ts";
import { findNamespace, namespaceMember, shownOverride, toOverride } from "./namespaces.ts";
import { pageMembers, pageOf, pagination } from "./pages.ts";

export const listOverrides = operationOfV2({
  name: "ratelimit.listOverrides",
  isReadOnly: true,
  summary: "List the overrides of a namespace",
  input: () => closedObjectOf({ namespace: namespaceMember(), ...pageMembers({ limit: 50 }) }),
  output: () => objectOf({ data: listOf(shownOverride(), "overrides"), pagination: pagination() }),

  *run(call) {
    // As in the service, those of a deleted namespace are listed too.
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

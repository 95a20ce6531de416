import { defineRule } from "../rule.ts";
import { nameOf } from "../seen-call.ts";

/** A call can have any number of unknown members. */
const MAX_MEMBERS = 100;

/**
 * A call of v1 has a member or a parameter that the service does not know, and ignores.
 */
export const memberIgnored = defineRule({
  name: "member-ignored",
  advice:
    "Remove it, or send the member that is meant: the reference lists those of each operation. With strict, latchkey refuses such calls.",
  // `CallWarnings` tells it for both versions.
  isWarned: true,
  watch() {
    return (call) => {
      const { requestId, unknown, version } = call;
      if (unknown.length === 0 || version !== "v1") return undefined;
      const name = nameOf(call);
      return unknown.slice(0, MAX_MEMBERS).map((member) => ({
        subject: `${name} ${inAnyItem(member)}`,
        why: `${name} of v1 was sent ${member}, which the service ignores`,
        requests: [requestId],
      }));
    };
  },
});

/** The path of a member without the numbers of items, like `roles.*.id` for `roles.0.id`. */
function inAnyItem(path: string): string {
  return path.replace(/(?<=\.)\d+(?=\.|$)/g, "*");
}

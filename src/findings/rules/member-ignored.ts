import { defineRule } from "../rule.ts";
import { nameOf } from "../seen-call.ts";

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
      const members = unknown.join(", ");
      const name = nameOf(call);
      const why = `${name} of v1 was sent ${members}, which the service ignores`;
      return { subject: `${name} ${members}`, why, requests: [requestId] };
    };
  },
});

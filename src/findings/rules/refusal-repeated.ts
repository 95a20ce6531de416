import { defineRule, keep } from "../rule.ts";
import { isShort, nameOf, type SeenCall } from "../seen-call.ts";
import { Series } from "../series.ts";

/** How many refused calls are remembered of a token. */
const MAX_REFUSED = 8;
const MISTAKE = { times: 3, period: 1_000 };
/** Refusals after which a client may send the same call again. */
const PASSING = new Set([408, 409, 429]);

interface Refused extends Pick<SeenCall, "bodyFormat" | "refusal"> {
  readonly revision: number;
  readonly series: Series;
}

/**
 * A refused call (4xx, but not 408, 409 or 429) is sent three times within a second, unchanged, and
 * refused for the same reason. Unless its input is invalid, no record has changed between.
 */
export const refusalRepeated = defineRule({
  name: "refusal-repeated",
  advice:
    "The same call is refused for the same reason each time. Read the error of the reply, and correct the call or stop. Early clients of @unkey/api (0.19 and before) repeat refused calls by themselves: make the client with retry: { attempts: 0 }, or take a later one.",
  watch(world) {
    let refused: Refused[] = [];
    return (call) => {
      const { bodyFormat, input, refusal, status = 0 } = call;
      if (status < 400 || status > 499 || PASSING.has(status) || !isShort(call)) return undefined;
      const revision = world.revision();
      const found = refused.find(
        (each) =>
          each.refusal === refusal && each.bodyFormat === bodyFormat && each.series.has(call),
      );
      // Other records may lead to another answer, but none make an input valid that cannot be read.
      const isInvalid = status === 400 && input === undefined;
      if (found !== undefined && (isInvalid || found.revision === revision)) {
        const seen = found.series.add(world.remember(call));
        const why = `${nameOf(call)} was refused with ${status} (${refusal}), and sent again unchanged, three times or more within a second`;
        return seen && { ...seen, why };
      }
      refused = refused.filter((each) => each !== found);
      const series = new Series(world.remember(call), MISTAKE);
      keep(refused, { bodyFormat, refusal, revision, series }, MAX_REFUSED);
      return undefined;
    };
  },
});

import { defineRule } from "../rule.ts";
import { isShort, nameOf } from "../seen-call.ts";
import { Series } from "../series.ts";

const MISTAKE = { times: 10, period: 1_000 };

/**
 * The same page is asked for by the same cursor ten times in a row within a second, and answered 200
 * each time. No record has changed between.
 */
export const pageRepeated = defineRule({
  name: "page-repeated",
  advice:
    "The loop over the pages never comes to an end. After each page, take the cursor from its reply (v1: cursor, v2: pagination.cursor), and stop if there is none.",
  watch(world) {
    let series: Series | undefined;
    let revision = 0;
    return (call) => {
      const { input, status } = call;
      // In v2, an empty cursor leads to the first page.
      const cursor = (input as { readonly cursor?: string } | undefined)?.cursor;
      if (!cursor || status !== 200 || !isShort(call)) {
        series = undefined;
        return undefined;
      }
      const page = world.remember(call);
      if (series?.has(call) !== true || revision !== world.revision()) {
        series = new Series(page, MISTAKE);
        revision = world.revision();
        return undefined;
      }
      const seen = series.add(page);
      const why = `${nameOf(call)} was asked for the same page, by the same cursor, ten times in a row or more within a second`;
      return seen && { ...seen, why };
    };
  },
});

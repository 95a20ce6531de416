import { defineRule } from "../rule.ts";
import { isSameCall, isShort, nameOf, type Remembered } from "../seen-call.ts";
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
    let first: Remembered | undefined;
    let firstCursor: string | undefined;
    let series: Series | undefined;
    let revision = 0;
    return (call) => {
      const { cursor } = Object(call.input) as { readonly cursor?: string };
      // In v2, an empty cursor leads to the first page.
      if (!cursor || call.status !== 200 || !isShort(call)) {
        first = undefined;
        return undefined;
      }
      const page = world.remember(call);
      // Most calls differ in their cursors, which are short.
      const isSame = first && cursor === firstCursor && isSameCall(call, first.call);
      if (first === undefined || !isSame || revision !== world.revision()) {
        first = page;
        firstCursor = cursor;
        series = undefined;
        revision = world.revision();
        return undefined;
      }
      series ??= new Series(first, MISTAKE);
      const seen = series.add(page);
      if (seen === undefined) return undefined;
      const why = `${nameOf(call)} was asked for the same page, by the same cursor, ten times in a row or more within a second`;
      return { ...seen, why };
    };
  },
});

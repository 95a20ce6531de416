import * as z from "zod/mini";
import { quirkNames, type Quirk } from "../api/quirks.ts";
import { latency } from "../faults/fault-schema.ts";
import { ruleNames, type RuleName } from "../world/findings/rules.ts";
import { isSecretName } from "../base/wording/mask.ts";
import * as f from "../schema/fields.ts";
import { lazyMembers } from "../schema/lazy-shape.ts";
import { accessTokenInit } from "../state/records/tokens.ts";
import { writtenTime } from "../state/vocabulary.ts";

const EXPECTED_QUIRKS = 'expected "all" or an array of names';

const EXPECTED_HEADERS =
  "expected names of headers, like traceparent, and none that may hold a secret, like authorization, cookie or x-api-key";

/**
 * Options that `createEmulator` and the command line share, with the same names and values. Their texts,
 * for editors too, are in `src/cli/options/options.ts`.
 */
export const sharedOptions = lazyMembers({
  randomSeed: () => f.integer({ min: 0 }),
  // Relative to the real time, because there is no clock yet.
  now: () => f.described(writtenTime(), { title: "time" }),
  controlToken: () => accessTokenInit().shape.token,
  strict: f.flag,
  isolate: f.flag,
  quirks: () =>
    f.typed<readonly (Quirk | "all")[] | "all">(
      z.union(
        [
          z.literal("all", { error: EXPECTED_QUIRKS }),
          f.listOf(f.nameOf("quirk", [...quirkNames, "all"]), "names of quirks"),
        ],
        { error: EXPECTED_QUIRKS },
      ),
    ),
  latency,
  ignoreFindings: () =>
    f.typed<readonly RuleName[]>(f.listOf(f.nameOf("rule", ruleNames), "names of rules")),
  recordHeaders: () => {
    const isShown = (name: string) =>
      /^[\w-]+$/.test(name) && !isSecretName(name) && !/(?:auth|cookie|session)$/i.test(name);
    const name = z.string({ error: EXPECTED_HEADERS }).check(z.refine(isShown, EXPECTED_HEADERS));
    return f.typed<readonly string[]>(z.array(name, { error: EXPECTED_HEADERS }));
  },
});

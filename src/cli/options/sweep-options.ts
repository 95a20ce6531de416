import * as z from "zod/mini";
import * as f from "../../schema/fields.ts";
import {
  details,
  execOptions,
  listOfTexts,
  type OptionTable,
  ownExecOptions,
  texts,
} from "./options.ts";

/** Reads `OPERATION=VERDICT`. */
function toAllowed(given: string) {
  const at = given.indexOf("=");
  return { operation: given.slice(0, at), verdict: given.slice(at + 1) };
}

function allowedVerdicts() {
  const error = "expected an operation and a verdict, like ratelimit.limit=no-answer";
  const one = f.filledText(error).check(z.regex(/^[^=]+=[^=]+$/, { error }));
  return listOfTexts(z.pipe(one, z.transform(toAllowed)));
}

function reportTargets() {
  const error = "expected junit=FILE or json=FILE, like junit=sweep.xml";
  return listOfTexts(f.filledText(error).check(z.regex(/^(?:junit|json)=./, { error })));
}

/** The options that only `sweep` has. `sweepCases` checks the names. */
export const ownSweepOptions = {
  only: texts().register(details, {
    one: "only",
    describe: "operation whose calls are spoilt",
    default: "all that the program calls",
  }),
  faults: texts().register(details, {
    one: "fault",
    describe: "way to spoil a call: 500, 429, lost-before, lost-after, hang or truncated",
    default: "all",
  }),
  answers: f.flag().register(details, {
    describe: "change each yes of `keys.verifyKey` and of a rate limit to each possible no",
    default: "true",
  }),
  most: f.integer({ min: 1 }).register(details, {
    describe: "greatest number of cases",
    default: "200",
  }),
  for: f.filledText().register(details, {
    describe: "time after which no new case starts, like 5m; in code also milliseconds",
    default: "no limit",
  }),
  allow: allowedVerdicts().register(details, {
    one: "allow",
    describe:
      "verdict that is intended, as OPERATION=VERDICT, like ratelimit.limit=no-answer; in code an object",
  }),
  patience: f.filledText().register(details, {
    describe:
      "time that a run may take after the spoilt call, beyond three times its usual time; after that, it hangs; like 20s, in code also milliseconds",
    default: "20s",
  }),
  jobs: f.integer({ min: 1, max: 64 }).register(details, {
    describe: "number of runs in parallel, each with its own command and emulator",
    default: "1",
  }),
  atomic: f.flag().register(details, {
    describe:
      "a program that fails has to leave exactly the records of the start; only for a single test",
    default: "false",
  }),
  case: f.filledText().register(details, {
    describe: "run only the case with this name, like createKey(main,user_9).lost-after",
    default: "all cases",
  }),
  json: f.flag().register(details, { describe: "print the cases as JSON" }),
  report: reportTargets().register(details, {
    one: "report",
    describe: "also write a report: junit=FILE, for CI servers, or json=FILE",
  }),
  accept: f.filledText().register(details, {
    describe: "file of known mistakes: only other cases are wrong",
  }),
  acceptAll: f.flag().register(details, {
    describe: "write the wrong cases to the file of `--accept`, and keep the reasons in it",
  }),
} satisfies OptionTable;

const withoutSweep = new Set([
  "isolate",
  "open",
  "publicUrl",
  "state",
  "watch",
  ...Object.keys(ownExecOptions),
]);

/** The options of `sweep`: those of `exec`, except options that make no sense for repeated runs. */
export const sweepOptions: OptionTable = {
  ...Object.fromEntries(Object.entries(execOptions).filter(([name]) => !withoutSweep.has(name))),
  ...ownSweepOptions,
};

import { filledText } from "../../schema/fields.ts";
import { details, type OptionTable, serveOptions } from "./options.ts";

/** The options that only `site` has. */
export const ownSiteOptions = {
  out: filledText().register(details, { describe: "folder to write" }),
  title: filledText().register(details, {
    describe: "name of the page",
    default: "latchkey",
  }),
  calls: filledText().register(details, {
    describe:
      "JavaScript module that makes calls when a visitor opens the page: its default export is a function, which gets `call(operation, body, token)`",
  }),
} satisfies OptionTable;

const { fixtures, generate, latency, now, quirks, randomSeed, strict } = serveOptions;

/** The options of `site`: its own, and those of `serve` that need no server. */
export const siteOptions: OptionTable = {
  ...ownSiteOptions,
  fixtures,
  generate,
  randomSeed,
  now,
  strict,
  quirks,
  latency,
};

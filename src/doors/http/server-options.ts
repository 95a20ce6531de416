import * as z from "zod/mini";
import * as f from "../../schema/fields.ts";
import { lazyMembers } from "../../schema/lazy-shape.ts";
import { EXPECTED_HOSTS, EXPECTED_ORIGINS, isHostName, isOrigin } from "./control.ts";

/**
 * The options of `serve` that the command line has too. Their texts, for editors too, are in
 * `src/cli/options/options.ts`.
 */
export const serverOptions = lazyMembers({
  port: () => f.integer({ min: 0, max: 65_535 }),
  host: () => f.filledText(),
  control: f.flag,
  ui: f.flag,
  allowHosts: hosts,
  allowOrigins: () => texts(isOrigin, EXPECTED_ORIGINS),
  publicUrl: baseUrl,
});

/** The URL under which a proxy serves the emulator. */
function baseUrl() {
  const error =
    "expected a URL like https://demo.example/latchkey/, without user, query and fragment";
  const isBaseUrl = (given: string) =>
    /^https?:\/\/[^?#@]+$/i.test(given) &&
    URL.canParse(given) &&
    !new URL(given).hostname.includes("*");
  return f.filledText(error).check(z.refine(isBaseUrl, { error }));
}

export function hosts() {
  return texts(isHostName, EXPECTED_HOSTS);
}

function texts(isText: (text: string) => boolean, error: string) {
  const item = z.string({ error }).check(z.refine(isText, { error }));
  return f.typed<readonly string[]>(z.array(item, { error }));
}

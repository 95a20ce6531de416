import * as z from "zod/mini";
import { docs } from "../../schema/fields.ts";
import { EXPECTED_TOKEN, isToken } from "../../store/records.ts";
import type { TokenGrant } from "../../seeding/fixtures/check.ts";

/** Schemas for the values of options, in addition to those of `src/schema/fields.ts`. */

const EXPECTED_TEXT = "expected text that is not empty";

export function text(error = EXPECTED_TEXT) {
  return z.string({ error }).check(z.minLength(1, { error }));
}

export function texts() {
  return listOfTexts(text());
}

function listOfTexts<Item extends z.ZodMiniType>(item: Item) {
  const error = "expected a list of texts that are not empty";
  return z.readonly(z.array(item, { error }).check(z.minLength(1, { error })));
}

/** The name of a file, or false for none. */
export function file() {
  const error = "expected the name of a file";
  return z.union([z.literal(false), text(error)], { error }).register(docs, { title: "file" });
}

/** Tokens to accept, each as `TOKEN` or `TOKEN=permission,…`. */
export function grants() {
  const isGrant = (given: string) => isToken(toGrant(given).token);
  const token = text().check(z.refine(isGrant, { error: EXPECTED_TOKEN }));
  const list = listOfTexts(z.pipe(token, z.transform(toGrant)));
  const isOnce = (all: readonly TokenGrant[]) =>
    new Set(all.map((each) => each.token)).size === all.length;
  return list.check(z.refine(isOnce, { error: "expected each token once" }));
}

/**
 * Parses `TOKEN` or `TOKEN=permission,…`. A token may end in `=`, like base64, so the permissions begin
 * after the first `=` that is not before another `=` or the end.
 */
export function toGrant(given: string): TokenGrant {
  const [, token, permissions] = /^(.+?)=([^=].*)$/.exec(given) ?? [];
  if (token === undefined || permissions === undefined) return { token: given };
  return { token, permissions: permissions.split(",").map((permission) => permission.trim()) };
}

/** The URL under which a proxy serves the emulator. */
export function baseUrl() {
  const error =
    "expected a URL like https://demo.example/latchkey/, without user, query and fragment";
  const isBaseUrl = (given: string) => /^https?:\/\/[^?#@]+$/i.test(given) && URL.canParse(given);
  return text(error).check(z.refine(isBaseUrl, { error }));
}

/** A latency as text: `80` or `80-250`. Other text stays as it is, and is refused later. */
export function toLatency(given: string): unknown {
  const [, min, max] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(given) ?? [];
  if (min === undefined) return given;
  return max === undefined ? Number(min) : [Number(min), Number(max)];
}

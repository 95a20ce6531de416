import * as z from "zod/mini";
import { isRecord } from "../base/is-record.ts";
import { docs } from "../schema/fields.ts";
import { parseJson } from "../service/input.ts";
import { EXPECTED_DURATION, toDuration, type Duration } from "../store/clock.ts";

// Members of a query are text, which these schemas convert.

export const duration = z
  .custom<Duration>((value) => toDuration(value) !== undefined, { error: EXPECTED_DURATION })
  .register(docs, { type: ["integer", "string"], description: "Milliseconds, or like `1h`." });

export function queryFlag(description: string) {
  const error = "expected true or false";
  return z
    .pipe(
      z.string({ error }).check(z.regex(/^(?:true|false)$/, { error })),
      z.transform((value: string) => value === "true"),
    )
    .register(docs, { type: "boolean", description });
}

/** A whole number from `min` to `max`. */
export function queryInteger({ max, min }: { min: number; max: number }, description: string) {
  const error = `expected an integer from ${min} to ${max}`;
  const isWithin = (value: string) => Number(value) >= min && Number(value) <= max;
  return z
    .pipe(
      z.string({ error }).check(z.regex(/^\d{1,9}$/, { error }), z.refine(isWithin, { error })),
      z.transform(Number),
    )
    .register(docs, { type: "integer", minimum: min, maximum: max, description });
}

/** A JSON object. */
export function queryObject(description: string) {
  const error = "expected a JSON object";
  return z
    .pipe(
      z.string({ error }).check(z.refine((value) => isRecord(read(value)), { error })),
      z.transform((value: string) => read(value) as Readonly<Record<string, unknown>>),
    )
    .register(docs, { type: "string", description });
}

/** Undefined if the text is no JSON, or nested too deeply. */
function read(text: string): unknown {
  const { problem, ...parsed } = parseJson(new TextEncoder().encode(text), true);
  return problem === undefined && "value" in parsed ? parsed.value : undefined;
}

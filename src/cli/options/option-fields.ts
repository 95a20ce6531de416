import * as z from "zod/mini";
import { latency, MAX_LATENCY, type Latency } from "../../faults/fault-schema.ts";
import { docs } from "../../schema/fields.ts";
import { expectedTime, toTime } from "../../store/clock.ts";

/** Schemas for the values of options, in addition to `integer` and `flag` of `src/schema/fields.ts`. */

const EXPECTED_TEXT = "expected text that is not empty";

export function text(error = EXPECTED_TEXT) {
  return z.string({ error }).check(z.minLength(1, { error }));
}

export function texts() {
  const error = `${EXPECTED_TEXT}, or a list of it`;
  return z.readonly(z.array(text(error), { error }).check(z.minLength(1, { error })));
}

/** The name of a file, or false for none. */
export function file() {
  const error = "expected the name of a file";
  return z.union([z.literal(false), text(error)], { error }).register(docs, { title: "file" });
}

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `expected ${values.join(" or ")}` });
}

export function time() {
  const isTime = (value: unknown) => toTime(value) !== undefined;
  return z
    .custom<string | number>(isTime, { error: ({ input }) => expectedTime(input) })
    .register(docs, { title: "time" });
}

/** A latency in milliseconds: a number, a pair, or text like `80` or `80-250`, as in a flag. */
export function latencyText() {
  const error = `expected milliseconds, up to ${MAX_LATENCY}, or MIN-MAX of these`;
  return z
    .pipe(z.transform(toLatency), z.custom<Latency>(isLatency, { error }))
    .register(docs, { title: "milliseconds, or two" });
}

function toLatency(value: unknown): unknown {
  const [, min, max] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(String(value)) ?? [];
  if (typeof value !== "string" || min === undefined) return value;
  return max === undefined ? Number(min) : [Number(min), Number(max)];
}

function isLatency(value: unknown): boolean {
  const { data, success } = z.safeParse(latency(), value);
  return success && (typeof data === "number" || data[0] <= data[1]);
}

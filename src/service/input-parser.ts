import * as z from "zod/mini";
import type { ParsedInput } from "../api/operation.ts";
import type { Operation } from "./operations/operation.ts";

type InputParser = z.core.$ZodType<ParsedInput>;

/** To compile a parser takes some milliseconds, as long as a thousand reads with a compiled one save. */
const READS_BEFORE_COMPILING = 1_000;

const parsers = new WeakMap<object, { reads: number; parser: InputParser }>();

/** The schema that reads the input of an operation: after many reads a compiled copy, which is quicker. */
export function inputParser({ contract, isOwn }: Operation): InputParser {
  const schema = contract.input as InputParser;
  // The schema of a user may be of another zod, and one before 4.6 does not compile.
  if (isOwn === true || !("compile" in z)) return schema;
  let known = parsers.get(schema);
  if (known === undefined) parsers.set(schema, (known = { reads: 0, parser: schema }));
  if (known.reads <= READS_BEFORE_COMPILING) known.reads += 1;
  if (known.reads === READS_BEFORE_COMPILING) known.parser = z.compile(schema);
  return known.parser;
}

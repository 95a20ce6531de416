import type * as z from "zod/mini";
import type { FaultMembers } from "./fault-schema.ts";
import * as f from "../schema/fields.ts";
import { isRecord } from "../base/json.ts";
import { headerProblem } from "../api/errors.ts";
import type { ServedContract } from "../api/operation.ts";
import { answersOf, type RefusedAnswer } from "../api/outcomes.ts";
import { namedContracts } from "../api/meant-operation.ts";
import { statusOfType } from "../api/v2/problem.ts";
import { below, type Problem } from "../schema/problems.ts";
import { unknownName } from "../base/wording/text.ts";

/**
 * Problems of a fault that its schema cannot find. With contracts, also an unknown `operation`, and a
 * `match` that fits no valid input.
 */
export function faultProblems(
  fault: FaultMembers,
  contracts: readonly ServedContract[] | undefined,
): Problem[] {
  const { answer, code, effect, headers = {}, latency, status, type, when } = fault;
  const problems: Problem[] = [];
  const isRefusal = status !== undefined || code !== undefined || type !== undefined;
  const isSilent = effect === "drop" || effect === "hang";

  const isDeciding = isRefusal || effect !== undefined || answer !== undefined;
  if (!isDeciding && latency === undefined && Object.keys(headers).length === 0) {
    const expected =
      "expected one of status, code, type, answer, headers, effect and latency, or it would do nothing";
    problems.push({ path: [], expected });
  }
  if (type !== undefined && statusOfType(type) === undefined && (status ?? code) === undefined) {
    const expected =
      "expected a status or code as well, because this type is none that the service sends";
    problems.push({ path: ["type"], expected });
  }
  problems.push(...headerProblems(headers));
  for (const member of ["status", "code", "type", "headers"] as const) {
    if (!isSilent || fault[member] === undefined) continue;
    const expected = `cannot be used with the effect ${effect}, which sends no reply`;
    problems.push({ path: [member], expected });
  }
  if (when === "before" && effect !== undefined && !isSilent && !isRefusal) {
    const expected = `expected "after", or a status, code or type as well: ${effect} changes a reply, and there is none before the operation`;
    problems.push({ path: ["when"], expected });
  }
  if (answer !== undefined) problems.push(...answerProblems(fault, answer, isRefusal));
  return [...problems, ...(contracts === undefined ? [] : targetProblems(fault, contracts))];
}

function answerProblems(
  { effect, operation = "", when }: FaultMembers,
  answer: RefusedAnswer,
  isRefusal: boolean,
): Problem[] {
  const problems: Problem[] = [];
  if (!answersOf.get(operation)?.includes(answer)) {
    const names = [...answersOf].flatMap(([name, all]) => (all.includes(answer) ? [name] : []));
    const expected = `expected an operation that can answer ${answer}: ${names.join(", ")}`;
    problems.push({ path: ["operation"], expected });
  }
  if (isRefusal || effect !== undefined) {
    const expected =
      "cannot be used with a status, code, type or effect: the reply is whole, and 200";
    problems.push({ path: ["answer"], expected });
  }
  if (when === "after") {
    const expected = 'expected "before": the operation itself gives the answer';
    problems.push({ path: ["when"], expected });
  }
  return problems;
}

function headerProblems(headers: NonNullable<FaultMembers["headers"]>): Problem[] {
  const names = Object.keys(headers);
  const lowerNames = names.map((name) => name.toLowerCase());
  return names.flatMap((name, index) => {
    const first = lowerNames.indexOf(lowerNames[index] ?? "");
    const expected =
      first < index ? `is the same header as ${names[first]}` : headerProblem(name, headers[name]);
    return expected === undefined ? [] : [{ path: ["headers", name], expected }];
  });
}

/** A fault with a misspelt name would never hit a call, and the test might pass by mistake. */
function targetProblems(
  fault: FaultMembers,
  contracts: readonly ServedContract[],
): readonly Problem[] {
  const { problem, targets } = namedContracts(fault, contracts);
  if (problem !== undefined) return [problem];
  const { match } = fault;
  if (match === undefined) return [];
  // Without `operation`, the match may be meant for any of them. The best guess is the one with the
  // fewest unknown members.
  const [best = []] = targets
    .map((contract) => matchProblems(contract, match))
    .toSorted((a, b) => countUnknown(a) - countUnknown(b) || a.length - b.length);
  return best;
}

function countUnknown(problems: readonly Problem[]): number {
  return problems.filter(({ kind }) => kind === "unknown").length;
}

function matchProblems({ input }: ServedContract, match: Match): readonly Problem[] {
  const { def } = (input as unknown as z.core.$ZodType)._zod as z.core.$ZodTypes["_zod"];
  // If the input is a list, the match is compared with its items.
  const matched = def.type === "array" ? def.element : (input as unknown as z.core.$ZodType);
  return below(["match"], mismatches(matched, match));
}

type Match = NonNullable<FaultMembers["match"]>;

/**
 * The parts of a match that no input can have. A match is compared with the output of the schema, so this
 * checks only types with a known output: types that do not convert, and types that `docs` describes. It
 * never calls the transforms and refinements of a user's schema.
 */
function mismatches(schema: z.core.$ZodType, match: unknown): readonly Problem[] {
  if (match === null && f.isNullable(schema)) return [];
  const inner = f.unwrap(schema);
  const { type, minimum, maximum } = f.docs.get(inner) ?? {};
  if (type !== undefined) return mismatchesInType([type].flat(), { minimum, maximum }, match);
  const { def } = inner._zod as z.core.$ZodTypes["_zod"];
  if (def.type === "number" && typeof match === "number") {
    return f.isInteger(def) ? mismatchesInType(["integer"], boundsOf(def), match) : [];
  }
  switch (def.type) {
    case "object":
      if (!isRecord(match)) return unless(false, "expected an object", match);
      return f.isPlainOrClosed(def) ? mismatchesInObject(def.shape, match) : [];
    case "array":
      if (!Array.isArray(match)) return unless(false, "expected an array", match);
      return match.flatMap((item, index) => below([index], mismatches(def.element, item)));
    case "boolean":
      return unless(typeof match === "boolean", EXPECTED_FLAG, match);
    case "string":
    case "number":
      return unless(typeof match === def.type, `expected a ${def.type}`, match);
    case "enum": {
      const values: unknown[] = Object.values(def.entries);
      const expected = `expected ${values.map((value) => JSON.stringify(value)).join(" or ")}`;
      return unless(values.includes(match), expected, match);
    }
    default:
      return [];
  }
}

/** The bounds of a number schema. The bounds of `integer()` are inclusive. */
function boundsOf({ checks = [] }: z.core.$ZodNumberDef): { minimum?: unknown; maximum?: unknown } {
  const bounds: { minimum?: unknown; maximum?: unknown } = {};
  for (const { _zod } of checks) {
    const def = _zod.def as z.core.$ZodChecks["_zod"]["def"];
    if (def.check === "greater_than") bounds.minimum = def.value;
    if (def.check === "less_than") bounds.maximum = def.value;
  }
  return bounds;
}

function mismatchesInObject(shape: z.core.$ZodShape, match: Match): Problem[] {
  return Object.entries(match).flatMap(([name, value]) => {
    const member = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (member !== undefined) return below([name], mismatches(member, value));
    const expected = unknownName("member", name, Object.keys(shape));
    return [{ path: [name], expected, kind: "unknown" }];
  });
}

/** Checks a match against the type in `docs`, for schemas like pipes, whose zod type is not enough. */
function mismatchesInType(
  types: readonly unknown[],
  { minimum, maximum }: { readonly minimum?: unknown; readonly maximum?: unknown },
  match: unknown,
): Problem[] {
  if (types.includes("boolean")) return unless(typeof match === "boolean", EXPECTED_FLAG, match);
  if (types.includes("string"))
    return unless(typeof match === "string", "expected a string", match);
  if (types.includes("object")) return unless(isRecord(match), "expected an object", match);
  if (!types.includes("integer")) return [];
  const [min, max] = [Number(minimum ?? -Infinity), Number(maximum ?? Infinity)];
  const fits = Number.isInteger(match) && Number(match) >= min && Number(match) <= max;
  const range = Number.isFinite(min + max) ? ` from ${min} to ${max}` : "";
  return unless(fits, `expected an integer${range}`, match);
}

const EXPECTED_FLAG = "expected true or false";

function unless(fits: boolean, expected: string, value: unknown): Problem[] {
  return fits ? [] : [{ path: [], expected, value }];
}

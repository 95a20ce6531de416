import type { FaultMembers } from "./fault.ts";
import type { Contract, Schema } from "./operation.ts";
import { readAs, type Problem } from "./problems.ts";
import { unknownName } from "./unknown-name.ts";
import type * as z from "zod/mini";

/** What no schema says of a fault. The operations are those that it can strike, where known. */
export function faultProblems(
  fault: FaultMembers,
  contracts: readonly Contract[] | undefined,
): Problem[] {
  const { code, effect, latency, message, status, when } = fault;
  const problems: Problem[] = [];
  const refuse = (member: keyof FaultMembers, expected: string) =>
    problems.push({ path: [member], expected, value: fault[member], isWhole: true });
  const isRefusal = status !== undefined || code !== undefined;
  const isSilent = effect === "drop" || effect === "hang";

  if (!isRefusal && effect === undefined && latency === undefined) {
    const expected = "expected one of status, code, effect and latency, or it would do nothing";
    problems.push({ path: [], expected, value: undefined, isWhole: true });
  }
  if (Array.isArray(latency) && Number(latency[0]) > Number(latency[1])) {
    refuse("latency", `expected [min, max], got [${latency.join(", ")}]`);
  }
  for (const member of ["status", "code"] as const) {
    if (!isSilent || fault[member] === undefined) continue;
    refuse(member, `expected none beside the effect ${effect}, because no reply is sent`);
  }
  if (message !== undefined && !isRefusal) {
    refuse("message", "expected status or code beside it, whose message it is");
  }
  if (when === "before" && effect !== undefined && !isSilent && !isRefusal) {
    const expected = `expected after, or a status beside it: before the operation there is no reply that ${effect} could distort`;
    refuse("when", expected);
  }
  return [...problems, ...(contracts === undefined ? [] : targetProblems(fault, contracts))];
}

/** A name that is misspelt would never strike, and nobody would know. */
function targetProblems(
  { match, operation }: FaultMembers,
  contracts: readonly Contract[],
): readonly Problem[] {
  const targets = contracts.filter(({ name }) => operation === undefined || name === operation);
  if (operation !== undefined && targets.length === 0) {
    const names = contracts.map(({ name }) => name);
    const expected = unknownName("operation", operation, names);
    return [{ path: ["operation"], expected, value: operation, isWhole: true }];
  }
  if (match === undefined) return [];
  const unknown = targets.map(({ input }) => unknownMembers(input, match));
  // A fault of every operation may match those of one of them.
  return unknown.find((problems) => problems.length === 0) ?? unknown[0] ?? [];
}

function unknownMembers(input: Schema, match: unknown): readonly Problem[] {
  const { unknown } = readAs(input as unknown as z.core.$ZodType, match);
  return unknown.map((problem) => ({ ...problem, path: ["match", ...problem.path] }));
}

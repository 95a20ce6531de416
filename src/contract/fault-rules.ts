import type { FaultMembers } from "./fault.ts";
import type { Contract } from "./operation.ts";
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
  if (typeof latency === "object" && latency[0] > latency[1]) {
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
  // A fault of every operation may match those of one of them: the one that knows most of it.
  const [closest = []] = targets
    .map((contract) => matchProblems(contract, match))
    .toSorted((a, b) => countUnknown(a) - countUnknown(b) || a.length - b.length);
  return closest;
}

function countUnknown(problems: readonly Problem[]): number {
  return problems.filter(({ isWhole }) => isWhole).length;
}

function matchProblems({ input, method }: Contract, match: Matched): readonly Problem[] {
  const schema = input as unknown as z.core.$ZodObject;
  const { unknown } = readAs(schema, match);
  const odd = Object.entries(match).flatMap(([name, value]) => {
    const member = Object.hasOwn(schema._zod.def.shape, name)
      ? schema._zod.def.shape[name]
      : undefined;
    return member === undefined ? [] : valueProblems(member, name, value, method === "GET");
  });
  return [...unknown, ...odd].map((problem) => ({
    ...problem,
    path: ["match", ...problem.path],
  }));
}

type Matched = NonNullable<FaultMembers["match"]>;

/** A value that no input can have; those within objects and lists may be parts of what is meant. */
function valueProblems(
  member: z.core.$ZodType,
  name: string,
  value: unknown,
  isInQuery: boolean,
): Problem[] {
  if (typeof value === "object") return [];
  try {
    const { problems, value: read } = readAs(member, isInQuery ? String(value) : value);
    const [problem] = problems;
    if (problem !== undefined) return [{ path: [name], expected: problem.expected, value }];
    if (read === value) return [];
    const expected = `expected it as the operation reads it, ${JSON.stringify(read)}`;
    return [{ path: [name], expected, value }];
  } catch {
    // The schema of a user's own operation may do more than look.
    return [];
  }
}

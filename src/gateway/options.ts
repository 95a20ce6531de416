import * as z from "zod/mini";
import { isRecord } from "../base/json.ts";
import { lazily } from "../base/lazily.ts";
import { throwLines } from "../base/usage-error.ts";
import * as f from "../schema/fields.ts";
import { type Problem, problemLine, readAs } from "../schema/problems.ts";
import { hostnameOf } from "../service/request.ts";
import { accessTokenInit } from "../state/records/tokens.ts";
import { type PolicyInit, policyList } from "./policies.ts";
import { isUpstream, type Upstream } from "./upstream.ts";

/** A program behind a gateway, and its policies. */
export interface Program {
  /** A function like `app.fetch`, or a URL like `http://localhost:3000`. */
  readonly upstream: Upstream;
  /** The policies that a request has to pass, in this order. Default: none. */
  readonly policies?: readonly PolicyInit[] | undefined;
}

/** Either one program for every host, or `routes`. */
export interface GatewayOptions extends Partial<Program> {
  /** Programs by the host name of a request. If there is only one, it answers for `localhost` too. */
  readonly routes?: readonly (Program & { readonly hostname: string })[] | undefined;
  /** The token to verify keys with. Default: the first listed token that may verify keys. */
  readonly token?: string | undefined;
}

const EXPECTED_HOST = "expected the name of a host, without a port";
const EXPECTED_UPSTREAM = "expected a function like app.fetch, or a URL like http://localhost:3000";
export const routeMembers = lazily(() => ({
  hostname: f.filledText(EXPECTED_HOST).check(z.regex(/^[\w.:-]+$/, { error: EXPECTED_HOST })),
  upstream: z.custom<Upstream>(isUpstream, { error: EXPECTED_UPSTREAM }),
  policies: z.optional(policyList()),
}));
export const gatewayOptions = lazily(() =>
  f.objectOf({
    upstream: z.optional(routeMembers().upstream),
    policies: z.optional(policyList()),
    routes: z.optional(f.listOf(f.objectOf(routeMembers()), "routes", { min: 1 })),
    token: z.optional(accessTokenInit().shape.token),
  }),
);

/** The path of a program in the input. */
type PathOf = (index: number) => readonly PropertyKey[];
type Read = { readonly hostname?: string; readonly policies?: readonly PolicyInit[] | undefined };

/**
 * Problems that no schema finds: two programs with the same host, or two policies of a program with the
 * same id. In code, a missing id is set by position. In a file, it is a problem.
 */
export function problemsOf(programs: readonly Read[], pathOf: PathOf, isFile = false): Problem[] {
  const hosts = programs.map(({ hostname = "" }) => hostnameOf(hostname));
  return programs.flatMap(({ policies = [] }, index): Problem[] => {
    const ids = policies.map(({ id }, at) => id ?? (isFile ? "" : `policy_${at + 1}`));
    const idProblems = ids.flatMap((id, at) => {
      const path = [...pathOf(index), "policies", at, "id"];
      if (id === "") return { path, expected: "expected an id" };
      const expected = "expected an id that no other policy has";
      return ids.indexOf(id) === at ? [] : { path, expected };
    });
    const value = hosts[index] ?? "";
    if (hosts.indexOf(value) === index) return idProblems;
    const expected = "expected a host that no other route has";
    return [...idProblems, { path: [...pathOf(index), "hostname"], expected, value }];
  });
}

/** Warnings for policies that have no effect. */
export function warningsFor(programs: readonly Read[], pathOf: PathOf, isFile = false): Problem[] {
  return programs.flatMap(({ policies = [] }, index) =>
    policies.flatMap((policy, at) => {
      const path = [...pathOf(index), "policies", at];
      if (isFile && policy.enabled === undefined)
        return { path, expected: "it is skipped, because it has no `enabled = true`" };
      const ignored = Object.keys(policy).filter((name) =>
        /^(?:openapi|jwtauth|logging)$/.test(name),
      );
      const expected = "it has no effect here";
      return ignored.map((kind) => ({ path: [...path, kind], expected }));
    }),
  );
}

/**
 * Reads members in either spelling, `keySpaceIds` or `key_space_ids`. Problems and warnings spell them
 * as the input does.
 * @param more finds problems in a value that the schema accepts
 * @param spell spells a member that the input does not have
 * @throws UsageError with a line for each problem
 */
export function readEitherSpelling<Schema extends z.core.$ZodType>(
  schema: Schema,
  input: unknown,
  source: string,
  more: (value: z.output<Schema>) => readonly Problem[],
  spell = (name: string) => name,
): { readonly value: z.output<Schema>; readonly lineOf: (problem: Problem) => string } {
  const spellings = new Map<string, string>();
  const { value, problems, unknown } = readAs(schema, inCamelCase(input, spellings));
  const further = value === undefined ? [] : more(value);
  const stepOf = (step: PropertyKey) =>
    typeof step === "string" ? (spellings.get(step) ?? spell(step)) : step;
  const lineOf = (problem: Problem) =>
    problemLine(source, { ...problem, path: problem.path.map(stepOf) });
  throwLines([...problems, ...unknown, ...further].map(lineOf));
  return { value: value as z.output<Schema>, lineOf };
}

/** @param spellings the spelling of each member in the input is added */
function inCamelCase(value: unknown, spellings: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => inCamelCase(item, spellings));
  // A URL stays as it is.
  if (!isRecord(value) || "href" in value) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    spellings.set(camel, name);
    return [camel, inCamelCase(member, spellings)];
  });
  return Object.fromEntries(members);
}

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

/** A program behind a gateway. */
export interface Program {
  /** A function like `app.fetch`, or a URL like `http://localhost:3000`. */
  readonly upstream: Upstream;
  /** What a request has to pass, in this order. Default: nothing. */
  readonly policies?: readonly PolicyInit[] | undefined;
}

/** One program for every host, or `routes`. */
export interface GatewayOptions extends Partial<Program> {
  /** Programs by the host name of a request. A single one answers for `localhost` too. */
  readonly routes?: readonly (Program & { readonly hostname: string })[] | undefined;
  /** The token that keys are verified with. Default: the first listed one that may verify. */
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

/** The place of a program in the input. */
type PathOf = (index: number) => readonly PropertyKey[];
type Read = { readonly hostname?: string; readonly policies?: readonly PolicyInit[] | undefined };

/**
 * Problems of programs together: each needs another host, and each of its policies another id. In code,
 * an id that is missing is the place.
 */
export function problemsOf(programs: readonly Read[], pathOf: PathOf, isFile = false): Problem[] {
  const hosts = programs.map(({ hostname = "" }) => hostnameOf(hostname));
  return programs.flatMap(({ policies = [] }, index): Problem[] => {
    const ids = policies.map(({ id }, at) => id ?? (isFile ? "" : `policy_${at + 1}`));
    const ofIds = ids.flatMap((id, at) => {
      const path = [...pathOf(index), "policies", at, "id"];
      if (id === "") return { path, expected: "expected an id" };
      const expected = "expected an id that no other policy has";
      return ids.indexOf(id) === at ? [] : { path, expected };
    });
    const value = hosts[index] ?? "";
    if (hosts.indexOf(value) === index) return ofIds;
    const expected = "expected a host that no other route has";
    return [...ofIds, { path: [...pathOf(index), "hostname"], expected, value }];
  });
}

/** Policies that have no effect here, each with its place. */
export function notesOn(programs: readonly Read[], pathOf: PathOf, isFile = false): Problem[] {
  return programs.flatMap(({ policies = [] }, index) =>
    policies.flatMap((policy, at) => {
      const path = [...pathOf(index), "policies", at];
      if (isFile && policy.enabled === undefined)
        return { path, expected: "it is skipped, because it has no `enabled = true`" };
      const idle = Object.keys(policy).filter((name) => /^(?:openapi|jwtauth|logging)$/.test(name));
      const expected = "it is read, and has no effect here";
      return idle.map((kind) => ({ path: [...path, kind], expected }));
    }),
  );
}

/**
 * Reads members in either spelling, `keySpaceIds` or `key_space_ids`. Problems and notes name them as the
 * input does.
 * @param more finds problems in a value that the schema accepts
 * @param spell how a member that is missing is spelt
 * @throws UsageError with a line for each problem
 */
export function readSpelt<Schema extends z.core.$ZodType>(
  schema: Schema,
  input: unknown,
  source: string,
  more: (value: z.output<Schema>) => readonly Problem[],
  spell = (name: string) => name,
): { readonly value: z.output<Schema>; readonly lineOf: (note: Problem) => string } {
  const spelt = new Map<string, string>();
  const { value, problems, unknown } = readAs(schema, inCamelCase(input, spelt));
  const further = value === undefined ? [] : more(value);
  const stepOf = (step: PropertyKey) =>
    typeof step === "string" ? (spelt.get(step) ?? spell(step)) : step;
  const lineOf = (problem: Problem) =>
    problemLine(source, { ...problem, path: problem.path.map(stepOf) });
  throwLines([...problems, ...unknown, ...further].map(lineOf));
  return { value: value as z.output<Schema>, lineOf };
}

/** @param spelt gets how each member is spelt in the input */
function inCamelCase(value: unknown, spelt: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => inCamelCase(item, spelt));
  // A URL is no record.
  if (!isRecord(value) || "href" in value) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    spelt.set(camel, name);
    return [camel, inCamelCase(member, spelt)];
  });
  return Object.fromEntries(members);
}

import * as z from "zod/mini";
import { isRecord } from "../base/json.ts";
import { lazily } from "../base/lazily.ts";
import { throwLines } from "../base/usage-error.ts";
import { filledText, listOf, objectOf } from "../schema/fields.ts";
import { type Problem, problemLine, readAs } from "../schema/problems.ts";
import { accessTokenInit } from "../state/records/tokens.ts";
import { type Policy, type PolicyInit, policyList, running } from "./policies.ts";
import { hostnameOf } from "./request.ts";
import { callOf, isUpstream, type Upstream } from "./upstream.ts";

/** The programs behind a gateway: one for every host, or one for each of `routes`. */
export interface GatewayOptions {
  /** The program: a function like `app.fetch`, or a URL like `http://localhost:3000`. */
  readonly upstream?: Upstream | undefined;
  /** What a request has to pass, in this order. Default: nothing. */
  readonly policies?: readonly PolicyInit[] | undefined;
  /** Programs by host name. A single one answers for `localhost` too. */
  readonly routes?: readonly RouteInit[] | undefined;
  /** The token that keys are verified with. Default: the first listed one that may verify. */
  readonly token?: string | undefined;
}
export interface RouteInit {
  readonly hostname: string;
  readonly upstream: Upstream;
  readonly policies?: readonly PolicyInit[] | undefined;
}

const EXPECTED_UPSTREAM = "expected a function like app.fetch, or a URL like http://localhost:3000";
const EXPECTED_HOST = "expected the name of a host, without a port";
export const routeMembers = lazily(() => ({
  hostname: filledText(EXPECTED_HOST).check(z.regex(/^[\w.:-]+$/, { error: EXPECTED_HOST })),
  upstream: z.custom<Upstream>(isUpstream, { error: EXPECTED_UPSTREAM }),
  policies: z.optional(policyList()),
}));
export const gatewayOptions = lazily(() =>
  objectOf({
    upstream: z.optional(routeMembers().upstream),
    policies: z.optional(policyList()),
    routes: z.optional(listOf(objectOf(routeMembers()), "routes", { min: 1 })),
    token: z.optional(accessTokenInit().shape.token),
  }),
);

/** A program behind the gateway. */
export interface Route {
  /** Undefined for every host. */
  readonly hostname: string | undefined;
  readonly call: ReturnType<typeof callOf>;
  readonly policies: readonly Policy[];
}

export function toRoute(
  { policies = [], upstream }: Pick<RouteInit, "policies" | "upstream">,
  hostname?: string,
): Route {
  return {
    hostname: hostname && hostnameOf(hostname),
    call: callOf(upstream),
    policies: running(policies),
  };
}

/** Hosts that an earlier route has. */
export function repeatedHosts(
  routes: readonly Pick<RouteInit, "hostname">[],
  path: readonly PropertyKey[],
): Problem[] {
  const names = routes.map(({ hostname }) => hostnameOf(hostname));
  const expected = "expected a host that no other route has";
  return names.flatMap((value, index) =>
    names.indexOf(value) === index ? [] : { path: [...path, index, "hostname"], expected, value },
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

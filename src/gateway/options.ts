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

const EXPECTED_UPSTREAM = "expected a function like app.fetch, or a URL like http://localhost:3000";
export const routeMembers = lazily(() => ({
  hostname: f.filledText("expected the name of a host"),
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

/** Hosts that an earlier route has. */
export function repeatedHosts(
  routes: readonly { readonly hostname: string }[],
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

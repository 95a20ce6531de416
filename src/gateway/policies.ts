import * as z from "zod/mini";
import { parsePermissionQuery } from "../api/permission-query.ts";
import { isRecord } from "../base/json.ts";
import { lazily } from "../base/lazily.ts";
import * as f from "../schema/fields.ts";
import { type Problem, readAs, throwProblems } from "../schema/problems.ts";
import { toRegExp } from "../base/re2.ts";

/** An object that has one of these members at most, or exactly one if it `isNeeded`. */
function oneOf<Shape extends z.core.$ZodShape>(
  shape: Shape,
  names: readonly string[],
  isNeeded = false,
) {
  const error = `expected ${isNeeded ? "exactly" : "at most"} one of ${names.join(", ")}`;
  const count = (value: object) => names.filter((name) => Object.hasOwn(value, name)).length;
  const isGood = (value: object) => (isNeeded ? count(value) === 1 : count(value) <= 1);
  return f.objectOf(shape).check(z.refine(isGood, { error, when: ({ value }) => isRecord(value) }));
}

/** A text about which another part of latchkey says what is wrong with it. */
function textWith(problemOf: (text: string) => string | undefined) {
  return f.text().check(
    z.check<string>(({ issues, value: input }) => {
      const message = problemOf(input);
      if (message !== undefined) issues.push({ code: "custom", input, message });
    }),
  );
}

const textMatch = lazily(() => {
  const regex = textWith((text) => {
    const read = toRegExp(text);
    return "problem" in read ? read.problem : undefined;
  });
  return oneOf(
    {
      exact: z.optional(f.text()),
      prefix: z.optional(f.text()),
      regex: z.optional(regex),
      ignoreCase: z.optional(f.flag()),
    },
    ["exact", "prefix", "regex"],
  );
});
export type TextMatch = z.input<ReturnType<typeof textMatch>>;

const name = () => f.objectOf({ name: f.filledText() });
const nothing = () => z.optional(f.objectOf({}));

const match = lazily(() => {
  const named = () =>
    z.optional(
      oneOf({ ...name().shape, present: z.optional(f.flag()), value: z.optional(textMatch()) }, [
        "present",
        "value",
      ]),
    );
  const kinds = {
    path: z.optional(f.objectOf({ path: z.optional(textMatch()) })),
    method: z.optional(f.objectOf({ methods: z.optional(f.listOf(f.text(), "methods")) })),
    header: named(),
    queryParam: named(),
  };
  return oneOf(kinds, Object.keys(kinds));
});
export type Match = z.input<ReturnType<typeof match>>;

const keyauth = lazily(() => {
  const locations = {
    bearer: nothing(),
    header: z.optional(z.extend(name(), { stripPrefix: z.optional(f.text()) })),
    queryParam: z.optional(name()),
  };
  const limit = f.objectOf({
    name: f.filledText(),
    limit: z.optional(f.integer({ min: 0 })),
    duration: z.optional(f.integer({ min: 0 })),
    cost: z.optional(f.integer({ min: 0 })),
  });
  const query = textWith((text) => {
    const read = text === "" ? {} : parsePermissionQuery(text);
    return "problem" in read ? `expected a permission query: ${read.problem}` : undefined;
  });
  return f.objectOf({
    keySpaceIds: z.optional(f.listOf(f.filledText(), "ids of keyspaces")),
    locations: z.optional(f.listOf(oneOf(locations, Object.keys(locations)), "locations")),
    permissionQuery: z.optional(query),
    credits: z.optional(f.integer({ min: 0 })),
    ratelimits: z.optional(f.listOf(limit, "rate limits")),
  });
});
export type Keyauth = z.input<ReturnType<typeof keyauth>>;

const ratelimit = lazily(() => {
  const sources = {
    remoteIp: nothing(),
    header: z.optional(name()),
    path: nothing(),
    authenticatedSubject: nothing(),
    principalField: z.optional(f.objectOf({ path: f.text() })),
  };
  const source = oneOf(sources, Object.keys(sources));
  return f.objectOf({
    limit: f.integer({ min: 0 }),
    windowMs: f.integer({ min: 1 }),
    identifiers: z.optional(f.listOf(source, "sources of an identifier")),
    // Before there were several.
    identifier: z.optional(source),
  });
});
export type Ratelimit = z.input<ReturnType<typeof ratelimit>>;

/** The kinds of policies that are read and do nothing here. */
const idle = ["openapi", "jwtauth", "logging"] as const;

/** The policies of a route, in the order in which they run. */
export const policyList = lazily(() => {
  const kinds = {
    keyauth: z.optional(keyauth()),
    ratelimit: z.optional(ratelimit()),
    firewall: z.optional(
      f.objectOf({ action: z.optional(f.choice(["ACTION_DENY", "ACTION_UNSPECIFIED"])) }),
    ),
    openapi: z.optional(z.unknown()),
    jwtauth: z.optional(z.unknown()),
    logging: z.optional(z.unknown()),
  };
  const shape = {
    id: z.optional(f.filledText()),
    name: z.optional(f.text()),
    enabled: z.optional(f.flag()),
    match: z.optional(f.listOf(match(), "expressions")),
    ...kinds,
  };
  return f.listOf(oneOf(shape, Object.keys(kinds), true), "policies");
});
/** A policy of the gateway, with exactly one of `keyauth`, `ratelimit`, `firewall` and the idle kinds. */
export type PolicyInit = z.input<ReturnType<typeof policyList>>[number];
export interface Policy extends PolicyInit {
  readonly id: string;
}

export interface Settled {
  readonly policies: readonly Policy[];
  readonly problems: readonly Problem[];
  /** What has no effect, each with its place. */
  readonly notes: readonly Problem[];
}

/**
 * The policies that run. In code, an id that is missing is the place, and a policy that does not say
 * `enabled` runs. In a file nothing is filled in.
 */
export function settle(
  given: readonly PolicyInit[],
  path: readonly PropertyKey[],
  isFile: boolean,
): Settled {
  const policies = given.map((policy, index) => ({
    ...policy,
    id: policy.id ?? (isFile ? "" : `policy_${index + 1}`),
    enabled: policy.enabled ?? !isFile,
  }));
  const ids = policies.map(({ id }) => id);
  const problems = ids.flatMap((id, index) => {
    const expected = id === "" ? "expected an id" : "expected an id that no other policy has";
    return id !== "" && ids.indexOf(id) === index
      ? []
      : [{ path: [...path, index, "id"], expected }];
  });
  const notes = given.flatMap((policy, index): Problem[] => {
    const at = [...path, index];
    const kind = idle.find((each) => policy[each] !== undefined);
    if (isFile && policy.enabled === undefined)
      return [{ path: at, expected: "it is skipped, because it has no `enabled = true`" }];
    return kind ? [{ path: [...at, kind], expected: "it is read, and has no effect here" }] : [];
  });
  const running = policies.filter((each) => each.enabled && !idle.some((kind) => each[kind]));
  return {
    policies: running.map((each) => (isFile ? withKeyspaces(each) : each)),
    problems,
    notes,
  };
}

/** In a file, a `keyauth` without keyspaces allows none. */
function withKeyspaces(policy: Policy): Policy {
  const { keyauth } = policy;
  return keyauth ? { ...policy, keyauth: { keySpaceIds: [], ...keyauth } } : policy;
}

/**
 * Reads members in either spelling, `keySpaceIds` or `key_space_ids`.
 * @param more finds problems in a value that the schema accepts
 * @throws UsageError with a line for each problem; places are spelt as in the input
 */
export function readSpelt<Schema extends z.core.$ZodType>(
  schema: Schema,
  input: unknown,
  source: string,
  more: (value: z.output<Schema>) => readonly Problem[],
): z.output<Schema> {
  const { value, problems, unknown } = readAs(schema, inCamelCase(input));
  const further = value === undefined ? [] : more(value);
  throwProblems(
    source,
    [...problems, ...unknown, ...further].map((problem) => asSpelt(problem, input)),
  );
  return value as z.output<Schema>;
}

function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase);
  // A URL is no record.
  if (!isRecord(value) || "href" in value) return value;
  const members = Object.entries(value).map(([each, member]) => [
    each.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    inCamelCase(member),
  ]);
  return Object.fromEntries(members);
}

/** The problem with the names in its path as the author wrote them. */
export function asSpelt(problem: Problem, input: unknown): Problem {
  let value = input;
  const path = problem.path.map((step) => {
    const isOther = isRecord(value) && typeof step === "string" && !Object.hasOwn(value, step);
    const snake = String(step).replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const spelt = isOther && Object.hasOwn(value as object, snake) ? snake : step;
    value = Object(value)[spelt];
    return spelt;
  });
  return { ...problem, path };
}

import type { Steps } from "../base/steps.ts";
import { closest, describeUnknown, quoted } from "../base/wording/text.ts";
import { below, type Problem } from "../schema/problems.ts";
import type { ApiInit } from "../state/records/apis.ts";
import { keyProblems, unknownApi } from "../state/keys/key-problems.ts";
import { slugOf } from "../state/records/permissions.ts";
import { type GenerateRequest, MAX_GENERATED_KEYS } from "./format.ts";
import { itemLines, type Part } from "./part.ts";

/** A line for each problem of the requests for generated keys of a workspace. */
export function* generateLines(parts: readonly Part[]): Steps<string[]> {
  if (parts.every(({ generate }) => generate.length === 0)) return [];
  const apis = new Map(parts.flatMap((part) => part.apis).map((api) => [api.id, api]));
  const names = knownNames(parts);
  return [
    ...(yield* itemLines(parts, "generate", (request) =>
      request.profile === undefined
        ? [
            ...countProblems(request),
            ...targetProblems(request, apis),
            ...likeProblems(request, apis),
            ...nameProblems(request, names),
            ...customerProblems(request),
            ...shareProblems(request),
          ]
        : besideProfile(request),
    )),
    ...(yield* tooManyGeneratedKeys(parts)),
  ];
}

function countProblems({ count }: GenerateRequest): readonly Problem[] {
  if (count !== undefined) return [];
  const expected = `expected an integer from 0 to ${MAX_GENERATED_KEYS}, or \`profile\` in its place`;
  return [{ path: ["count"], expected }];
}

function besideProfile(request: GenerateRequest): readonly Problem[] {
  const others = Object.keys(request).filter((member) => member !== "profile");
  const expected = "expected no other member beside `profile`; write another entry";
  return others.map((member) => ({ path: [member], expected }));
}

interface KnownNames {
  readonly roles: ReadonlySet<string>;
  readonly permissions: ReadonlySet<string>;
}

/** The roles and permissions that the workspace has before keys are generated. */
function knownNames(parts: readonly Part[]): KnownNames {
  const roles = parts.flatMap((part) => part.roles);
  const keys = parts.flatMap((part) => part.keys);
  const permissions = parts.flatMap((part) => part.permissions);
  const holders = [...roles, ...keys];
  return {
    roles: new Set([...roles.map(({ name }) => name), ...keys.flatMap((key) => key.roles ?? [])]),
    permissions: new Set([
      ...permissions.map(slugOf),
      ...holders.flatMap((holder) => holder.permissions ?? []),
    ]),
  };
}

function targetProblems(
  { apiId: value }: GenerateRequest,
  apis: ReadonlyMap<string, ApiInit>,
): readonly Problem[] {
  if (value === undefined) {
    if (apisOf({}, apis).length > 0) return [];
    const expected = "expected the workspace to have an API that can hold keys";
    return [{ path: [], expected, value }];
  }
  if (apisOf({ apiId: value }, apis).length > 0) return [];
  if (!apis.has(value)) return [unknownApi(value, apis.values())];
  const expected = `expected an API with a keyspace, which ${value} does not have`;
  return [{ path: ["apiId"], expected }];
}

function apisOf({ apiId }: { readonly apiId?: string }, apis: ReadonlyMap<string, ApiInit>) {
  return [...apis.values()].filter(
    ({ id, keyspace }) => keyspace !== false && (apiId === undefined || id === apiId),
  );
}

/** A problem that `like` has with several APIs is reported for the first one only. */
function likeProblems(
  { apiId, like, roles }: GenerateRequest,
  apis: ReadonlyMap<string, ApiInit>,
): readonly Problem[] {
  if (like === undefined) return [];
  const [first = []] = apisOf(apiId === undefined ? {} : { apiId }, apis)
    .map((api) => keyProblems({ ...like, apiId: api.id }, api))
    .filter((problems) => problems.length > 0);
  if (roles === undefined || like.roles === undefined) return below(["like"], first);
  const expected = "use either `roles` (each key has one of them) or `like.roles`, not both";
  return [...below(["like"], first), { path: ["like", "roles"], expected }];
}

/** Otherwise hundreds of keys would get a misspelt role, which has no permissions. */
function nameProblems(
  { like, roles = [] }: GenerateRequest,
  known: KnownNames,
): readonly Problem[] {
  return [
    ...unknownNames(roles, known.roles, "role", ["roles"]),
    ...unknownNames(like?.roles ?? [], known.roles, "role", ["like", "roles"]),
    ...unknownNames(like?.permissions ?? [], known.permissions, "permission", [
      "like",
      "permissions",
    ]),
  ];
}

/** How many known names a message shows, and how many characters of the unknown one. */
const [SHOWN_NAMES, SHOWN_CHARACTERS] = [20, 60];

function unknownNames(
  names: readonly string[],
  known: ReadonlySet<string>,
  noun: string,
  path: readonly PropertyKey[],
): Problem[] {
  const all = [...known];
  const shown = all.length > SHOWN_NAMES ? [...all.slice(0, SHOWN_NAMES), "and others"] : all;
  return names.flatMap((name, index) => {
    if (known.has(name)) return [];
    const subject = `${noun} ${quoted(name, SHOWN_CHARACTERS)}`;
    const expected =
      all.length === 0
        ? `unknown ${subject}: the workspace has no ${noun}s; list it`
        : describeUnknown(subject, closest(name, all), shown);
    return [{ path: [...path, index], expected }];
  });
}

function customerProblems({ customers = [] }: GenerateRequest): readonly Problem[] {
  const ids = customers.map(({ externalId }) => externalId);
  return ids.flatMap((value, index) => {
    if (ids.indexOf(value) === index) return [];
    const expected = "expected each customer once";
    return [{ path: ["customers", index, "externalId"], expected, value }];
  });
}

/** A disabled key has not expired, so that both states can be seen. */
function shareProblems({ shares: { disabled = 0, expired = 0 } = {} }: GenerateRequest): Problem[] {
  // The sum of fractions like 0.7 and 0.3 may be a little above 1.
  if (expired + disabled <= 1 + Number.EPSILON) return [];
  const expected = "expected `expired` and `disabled` to be at most 1 together";
  return [{ path: ["shares"], expected, value: expired + disabled }];
}

/** Limits the sum too, so that a workspace fits into the default heap of Node. */
function tooManyGeneratedKeys(parts: readonly Part[]): Steps<string[]> {
  let sum = 0;
  return itemLines(parts, "generate", (request) => {
    const isOver = sum > MAX_GENERATED_KEYS;
    sum += request.count ?? 0;
    if (isOver || sum <= MAX_GENERATED_KEYS) return [];
    const expected = `expected at most ${MAX_GENERATED_KEYS} keys in all, got ${sum}`;
    return [{ path: ["count"], expected }];
  });
}

import type { Credentials } from "./request.ts";
import { type ApiError, checkHeader } from "../api/errors.ts";
import type { ParsedInput } from "../api/operation.ts";
import type {
  AdmittedCall,
  DemandRefusal,
  Operation,
  Requirement,
} from "./operations/operation.ts";
import type { Access } from "../state/store.ts";
import type { KnownSecret } from "../world/settings.ts";
import { quoted, wholeOrLength } from "../base/wording/text.ts";
import { grants, isOfService, permissionProblem, urnOf, type UrnScope } from "../api/urn.ts";
import type { CheckedCall, RequestContext } from "./request-context.ts";
import type { CallRights } from "../world/journal/needed-permissions.ts";

/** As in v1 of the service, the scheme is case-sensitive: `bearer` is not accepted. */
export const BEARER = /^Bearer (\S+)$/;

/** HTTP requires that a 401 names the authentication scheme (RFC 9110, 11.6.1). */
export const CHALLENGE = { "WWW-Authenticate": "Bearer" };

/** @param bearer matches a header with a token; its first group is the token */
export function readCredentials(
  request: { header(name: string): string | undefined },
  bearer = BEARER,
): Credentials {
  const authorization = request.header("authorization");
  const token = authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
  return { authorization, token };
}

/** Says why a header has no bearer token, without quoting it: it may contain a secret. */
export function expectedToken(authorization: string): string {
  return /^Bearer\s+\S/.test(authorization)
    ? "expected `Bearer <token>`, got a token that contains a space"
    : "expected `Bearer <token>`";
}

/** The refusals of a token, in the words of a version of the interface. */
export interface AccessRefusals {
  /** There is no `Authorization` header. */
  missing(): ApiError;
  /** The header has no bearer token. */
  malformed(authorization: string): ApiError;
  /** @param is the other kind of secret that was sent; undefined for none */
  unknown(is: KnownSecret | undefined): ApiError;
  workspaceDisabled(): ApiError;
  disabled(): ApiError;
  /** @param expires unix milliseconds */
  expired(expires: number): ApiError;
}

export const CONTROL_TOKEN_SENT =
  "the control token may not call operations; send the token of a client";

/**
 * Looks up the bearer token, and returns its record and its workspace. An open operation needs no token.
 * @throws ApiError one of `refusals`
 */
export function authenticate(
  { contract }: Operation,
  { credentials: { authorization, token }, world }: Pick<RequestContext, "credentials" | "world">,
  refusals: AccessRefusals,
): Access {
  if (contract.isOpen) return world.openAccess(token);
  if (authorization === undefined) throw refusals.missing();
  if (token === undefined) throw refusals.malformed(authorization);
  const access = world.access(token);
  if (access === undefined) throw refusals.unknown(world.kindOfToken(token));
  if (!access.workspace.enabled) throw refusals.workspaceDisabled();
  if (!access.token.enabled) throw refusals.disabled();
  const { expires } = access.token;
  // Unlike a key, a token is not valid any more in the millisecond of `expires`.
  if (expires !== undefined && expires <= world.clock.now()) throw refusals.expired(expires);
  return access;
}

/**
 * Checks the permissions that the operation requires before it runs, and creates its argument: a plain
 * object, so an operation may copy it and use its functions separately.
 * @throws ApiError if the token lacks a permission that the operation requires before it runs
 */
export function admit(
  operation: Operation,
  { access, input }: CheckedCall,
  context: RequestContext,
): AdmittedCall<ParsedInput> {
  const { token, workspace } = access;
  const { isUnseen, world } = context;
  const rights: CallRights = { token: token.token, demanded: [], missing: [], workspace };
  context.rights = rights;
  /** Notes the demanded permissions, and returns those that the token lacks. */
  const noteDemand = (demanded: readonly Requirement[]) => {
    const missing = missingOf(access, demanded);
    rights.demanded.push(...demanded);
    rights.missing.push(...missing);
    return missing;
  };
  const demand = (demanded: readonly Requirement[], refusal?: DemandRefusal) => {
    const missing = noteDemand(demanded);
    if (missing.length === 0) return;
    const unmet = {
      demanded: demanded.map((requirement) => withUrn(requirement, access)),
      missing: missing.map((requirement) => withGeneralUrn(requirement, access)),
    };
    throw context.version.refuseRequirements(unmet, refusal, notUnderstood(access));
  };
  const call: AdmittedCall<ParsedInput> = {
    input: input.value,
    workspace,
    workspaces: world.store.workspaces.all,
    isUnseen,
    requestId: context.requestId,
    demand,
    meets(demanded) {
      return noteDemand(demanded).length === 0;
    },
    may: (requirements) => missingOf(access, requirements).length === 0,
    lacking(requirements) {
      const missing = missingOf(access, requirements);
      if (missing.length === 0) return undefined;
      const shown = missing.map((requirement) => withGeneralUrn(requirement, access));
      return hintOf([describeRequirements(shown), notUnderstood(access)]);
    },
    advise(hint, { isEcho = false } = {}) {
      // Two hints together are worth a warning if one of them is.
      context.isEcho = isEcho && (context.hint === undefined || context.isEcho === true);
      context.hint = hintOf([context.hint, hint]);
    },
    setHeader(name, value) {
      checkHeader(`${operation.contract.name}: setHeader`, name, value);
      context.headers = [...(context.headers ?? []), { [name]: value }];
    },
  };
  if (operation.requires !== undefined) demand(operation.requires(call, world.operationStates));
  return call;
}

/** `the token needs api.*.read_key or api.x.read_key, and …` */
export function describeRequirements(missing: readonly Requirement[]): string {
  return `the token needs ${missing.map(describeRequirement).join(", and ")}`;
}

/** Longer permissions are not shown, because a client may send an API id of any length. */
export function shownPermissions({ oneOf }: Requirement): readonly string[] {
  return oneOf.map((permission) => wholeOrLength(permission, 300));
}

function describeRequirement(requirement: Requirement): string {
  const { because } = requirement;
  const permissions = shownPermissions(requirement).join(" or ");
  return because === undefined ? permissions : `${permissions} (because ${because})`;
}

/** The requirements that a token does not meet. */
function missingOf(
  { token, workspace }: Access,
  requirements: readonly Requirement[],
): readonly Requirement[] {
  return requirements.filter((requirement) => !grants(token.permissions, requirement, workspace));
}

/**
 * A requirement whose alternatives begin with its URN, as in messages of the service. Unless the call has
 * found a record, the text must not reveal whether the API exists, so it names no keyspace.
 */
function withUrn(requirement: Requirement, { workspace }: Access): Requirement {
  const { id } = workspace;
  const isFound = requirement.recordId !== undefined;
  const urn = urnOf(requirement, isFound ? workspace : { id, apis: NO_APIS });
  return urn === undefined ? requirement : { ...requirement, oneOf: [urn, ...requirement.oneOf] };
}

/** The same for a text that must not reveal whether a record was found. */
function withGeneralUrn(requirement: Requirement, access: Access): Requirement {
  return withUrn({ ...requirement, recordId: undefined }, access);
}

const NO_APIS: UrnScope["apis"] = new Map();

/** Why a permission of the token grants nothing; undefined if each may grant something. */
function notUnderstood({ token, workspace }: Access): string | undefined {
  for (const permission of token.permissions) {
    const problem = isOfService(permission) && permissionProblem(permission, workspace.id);
    if (problem) return `its permission ${quoted(permission)} ${problem}`;
  }
  return undefined;
}

/** @returns undefined for no parts */
export function hintOf(parts: readonly (string | undefined)[]): string | undefined {
  return parts.filter((part) => part !== undefined).join("; ") || undefined;
}

import type { ApiError } from "../contract/errors.ts";
import { shorten } from "../schema/wording/shorten.ts";
import type { Requirement } from "../operations/operation.ts";
import type { AccessToken } from "../store/records.ts";
import type { Access } from "../store/store.ts";
import type { Credentials } from "./credentials.ts";
import type { World } from "../world/world.ts";

/** The refusals of a request because of its token, in the words of a version of the interface. */
export interface AccessRefusals {
  /** There is no `Authorization` header. */
  missing(): ApiError;
  /** The header contains no bearer token. */
  malformed(authorization: string): ApiError;
  unknown(isControlToken: boolean): ApiError;
  workspaceDisabled(): ApiError;
  disabled(): ApiError;
  /** @param expires unix milliseconds */
  expired(expires: number): ApiError;
}

/**
 * Looks up the bearer token: the token's record and the workspace it belongs to.
 * @throws ApiError one of `refusals`
 */
export function authenticate(
  world: World,
  { authorization, token }: Credentials,
  refusals: AccessRefusals,
): Access {
  if (authorization === undefined) throw refusals.missing();
  if (token === undefined) throw refusals.malformed(authorization);
  const access = world.access(token);
  if (access === undefined) throw refusals.unknown(world.isControlToken(token));
  if (!access.workspace.enabled) throw refusals.workspaceDisabled();
  if (!access.token.enabled) throw refusals.disabled();
  const { expires } = access.token;
  if (expires !== undefined && expires <= world.clock.now()) throw refusals.expired(expires);
  return access;
}

export const CONTROL_TOKEN_SENT =
  "the control token may not call operations; send the token of a client";

/** The requirements that a token does not meet. `*` meets all. */
export function missingRequirements(
  { token }: Access,
  requirements: readonly Requirement[],
): readonly Requirement[] {
  if (token.permissions.includes("*")) return [];
  return requirements.filter((requirement) => !isAllowed(token, [requirement]));
}

/** `the token needs api.*.read_key or api.x.read_key, and …` */
export function describeRequirements(missing: readonly Requirement[]): string {
  return `the token needs ${missing.map(describeRequirement).join(", and ")}`;
}

/** Permissions are shortened: they can contain an API id, which a client may send at any length. */
export function shownPermissions({ oneOf }: Requirement): readonly string[] {
  return oneOf.map((permission) => shorten(permission, 300));
}

function describeRequirement(requirement: Requirement): string {
  const { because } = requirement;
  const permissions = shownPermissions(requirement).join(" or ");
  return because === undefined ? permissions : `${permissions} (because ${because})`;
}

/** Permissions are matched exactly; `*` alone grants everything. */
export function isAllowed(
  { permissions }: AccessToken,
  requirements: readonly Requirement[],
): boolean {
  const isHeld = (permission: string) => permissions.includes(permission);
  return isHeld("*") || requirements.every(({ oneOf }) => oneOf.some(isHeld));
}

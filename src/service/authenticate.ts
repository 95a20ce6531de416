import { ApiError } from "../contract/errors.ts";
import type { Quirks } from "../contract/quirks.ts";
import { shorten } from "../schema/shorten.ts";
import type { DemandRefusal, Requirement } from "../operations/operation.ts";
import type { AccessToken } from "../store/records.ts";
import type { Access } from "../store/store.ts";
import { expectedToken, type Credentials } from "./credentials.ts";
import type { World } from "../world/world.ts";

/**
 * Looks up the bearer token: the token's record and the workspace it belongs to.
 * @throws ApiError UNAUTHORIZED for a missing or unknown token, FORBIDDEN for a disabled workspace,
 *   DISABLED for a disabled token, EXPIRED for an expired one
 */
export function authenticate(
  world: World,
  { authorization, token }: Credentials,
  quirks: Quirks,
): Access {
  const unauthorized = (message: string) => unauthorizedError(message, quirks);
  if (authorization === undefined) throw unauthorized("expected the header, found none");
  if (token === undefined) throw unauthorized(expectedToken(authorization));
  const access = world.access(token);
  if (access === undefined) {
    const isControl = world.isControlToken(token);
    throw unauthorized(isControl ? CONTROL_TOKEN_SENT : "the token is not known");
  }
  if (!access.workspace.enabled) {
    throw new ApiError("FORBIDDEN", "authorization: the workspace of the token is disabled");
  }
  if (!access.token.enabled) {
    throw new ApiError("DISABLED", "authorization: the token is disabled");
  }
  const { expires } = access.token;
  if (expires !== undefined && expires <= world.clock.now()) {
    throw new ApiError("EXPIRED", "authorization: the token has expired");
  }
  return access;
}

const CONTROL_TOKEN_SENT = "the control token may not call operations; send the token of a client";

/**
 * Checks that the token has a permission for each requirement.
 * @throws ApiError with the code (and status) of `refusal`; its message names every missing permission
 */
export function authorize(
  { token }: Access,
  requirements: readonly Requirement[],
  { code, status }: DemandRefusal = { code: "INSUFFICIENT_PERMISSIONS" },
): void {
  if (token.permissions.includes("*")) return;
  const missing = requirements.filter((requirement) => !isAllowed(token, [requirement]));
  if (missing.length === 0) return;
  const message = `the token needs ${missing.map(describeRequirement).join(", and ")}`;
  throw new ApiError(code, message, status === undefined ? {} : { status });
}

/** Permissions are shortened: they can contain an API id, which a client may send at any length. */
function describeRequirement({ oneOf, because }: Requirement): string {
  const permissions = oneOf.map((permission) => shorten(permission, 300)).join(" or ");
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

/** Headers of a 401: HTTP requires it to name the scheme to authenticate with (RFC 9110, 11.6.1). */
export const CHALLENGE = { "WWW-Authenticate": "Bearer" };

function unauthorizedError(message: string, quirks: Quirks): ApiError {
  const details = quirks.has("unauthorized-403") ? { status: 403 } : { headers: CHALLENGE };
  return new ApiError("UNAUTHORIZED", `authorization: ${message}`, details);
}

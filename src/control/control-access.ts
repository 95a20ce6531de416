import { ApiError } from "../api/errors.ts";
import type { TokenGrant } from "../seed/check.ts";
import { UsageError } from "../base/usage-error.ts";
import { CHALLENGE, expectedToken } from "../service/access.ts";
import type { Credentials } from "../service/request.ts";
import type { WorldPool } from "../world/world-pool.ts";
import { type CheckedFixtures, tokensIn } from "../seed/part.ts";

/** With this permission or `*`, a listed token may use the control routes. No operation requires it. */
const CONTROL_PERMISSION = "latchkey.control";
/** With this permission, a listed token may use the control routes that only show. */
const WATCH_PERMISSION = "latchkey.watch";

/**
 * What a request may control: the isolated workspace of its token (`own`), the default workspace
 * (`shared`), or every workspace (`all`). With `watch`, it may only look.
 */
export type ControlScope = "own" | "shared" | "all" | "watch";

interface ControlTokenOptions {
  readonly controlToken?: string | undefined;
  readonly isolate?: boolean | undefined;
  readonly tokens?: readonly TokenGrant[] | undefined;
}

/**
 * The control token of the options. If there is none, a random token if tokens are listed at the start
 * and none of them may use control routes. Else undefined.
 */
export function controlTokenOf(
  fixtures: CheckedFixtures,
  { controlToken, isolate = false, tokens: grants }: ControlTokenOptions,
): string | undefined {
  const listed = tokensIn(fixtures);
  // With isolation, `listed` does not contain the tokens of the option `tokens`.
  const isRestricted = listed.length > 0 || (isolate && grants !== undefined);
  const isNeeded = isRestricted && !listed.some(hasControl);
  return controlToken ?? (isNeeded ? makeControlToken() : undefined);
}

/**
 * Decides who may use the control routes. A disabled or expired token still may, because otherwise its
 * owner could not set the clock back.
 * @param isForWatching whether the route only shows. Default: false, which asks who may use all routes
 */
export function controlScope(
  worlds: WorldPool,
  { authorization, token }: Credentials,
  remoteReason: string | undefined,
  isForWatching = false,
): ControlScope | ApiError {
  const { isIsolated, isRestricted, main } = worlds;
  if (authorization !== undefined && token === undefined) {
    return unauthorized(expectedToken(authorization));
  }
  const isOpen = !isRestricted && main.controlToken === undefined;
  if (isOpen && remoteReason !== undefined) return remoteError(remoteReason);
  if (token !== undefined && worlds.reach(token) === "own") return "own";
  if (isOpen) return isIsolated ? "shared" : "all";
  if (token === undefined) return unauthorized(`expected ${EXPECTED_TOKEN}, found none`);
  if (main.isControlToken(token)) return "all";
  const listed = main.store.accessOf(token)?.token;
  if (listed === undefined) {
    return unauthorized(`the token is not known; expected ${EXPECTED_TOKEN}`);
  }
  if (hasControl(listed)) return "all";
  if (isForWatching && listed.permissions.includes(WATCH_PERMISSION)) return "watch";
  return new ApiError("INSUFFICIENT_PERMISSIONS", MISSING_PERMISSION);
}

/**
 * Refuses a list of tokens that would leave no request able to control the shared world.
 * @param tokens all tokens that would be listed after the change
 * @param isInitial whether they belong to a new initial state
 * @throws UsageError if none of them may use control routes, but such a token is necessary
 */
export function checkControlTokens(
  worlds: WorldPool,
  tokens: readonly TokenGrant[],
  isInitial = false,
): void {
  const { hasGrants, isIsolated, isRestricted, main } = worlds;
  // With isolation, only tokens that are listed at the start restrict access.
  const isBound = isIsolated && !isInitial;
  if (main.controlToken !== undefined || (isBound && !isRestricted)) return;
  // Otherwise, control routes are open if no token is listed.
  if (!isBound && tokens.length === 0 && !hasGrants) return;
  // With isolation, a token that was not listed at the start controls its own world, not this one.
  const isGood = (listed: TokenGrant) =>
    hasControl(listed) && !(isBound && worlds.reach(listed.token) === "own");
  if (tokens.some(isGood)) return;
  const which = isBound ? "one that was listed at the start and has" : "one with";
  throw new UsageError(
    `tokens: expected ${which} the permission ${CONTROL_PERMISSION} or *, because without it no request could use control routes any more; add one, or start with a control token (--control-token, or the option controlToken)`,
  );
}

function hasControl({ permissions = [] }: Pick<TokenGrant, "permissions">): boolean {
  return permissions.includes("*") || permissions.includes(CONTROL_PERMISSION);
}

const CONTROL_TOKEN =
  "the control token (--control-token, LATCHKEY_CONTROL_TOKEN, or printed at the start)";
const EXPECTED_TOKEN = `${CONTROL_TOKEN}, or a listed token with the permission ${CONTROL_PERMISSION} or *`;
const MISSING_PERMISSION = `authorization: the token needs the permission ${CONTROL_PERMISSION} or * for control routes; list it with one, or send ${CONTROL_TOKEN}`;

function unauthorized(message: string): ApiError {
  return new ApiError("UNAUTHORIZED", `authorization: ${message}`, { headers: CHALLENGE });
}

function remoteError(remoteReason: string): ApiError {
  const message = `address: expected a request from this machine, because no token is listed, but this one ${remoteReason}`;
  return new ApiError("DISABLED", message);
}

/** Made of real random bytes, because the random seed is no secret. */
function makeControlToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `control_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

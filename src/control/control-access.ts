import { ApiError } from "../contract/errors.ts";
import type { ListedToken } from "../world/check-tokens.ts";
import type { Plan } from "../seeding/fixtures/plan.ts";
import { UsageError } from "../usage-error.ts";
import { CHALLENGE } from "../service/authenticate.ts";
import { expectedToken, type Credentials } from "../service/credentials.ts";
import type { TokenGrant } from "../seeding/fixtures/tokens.ts";
import type { WorldPool } from "../world/world-pool.ts";

/** Lets a listed token use the control routes, as `*` does. No operation asks for it. */
const CONTROL_PERMISSION = "latchkey.control";

/**
 * What a request may steer: the workspace that its token alone has under isolation, the shared one,
 * or every workspace.
 */
export type Reach = "own" | "shared" | "all";

interface ControlTokenOptions {
  readonly controlToken?: string | undefined;
  readonly isolate?: boolean | undefined;
  readonly tokens?: readonly TokenGrant[] | undefined;
}

/**
 * The control token: the given one, or a random one where tokens are listed at the start and none of
 * them may steer.
 */
export function controlTokenOf(
  plan: Plan,
  { controlToken: given, isolate = false, tokens: grants }: ControlTokenOptions,
): string | undefined {
  const listed = plan.workspaces.flatMap(({ tokens }) => tokens);
  // With isolation, the plan does not hold the tokens of the option.
  const isRestricted = listed.length > 0 || (isolate && grants !== undefined);
  return given ?? (isRestricted && !listed.some(hasControl) ? makeControlToken() : undefined);
}

/**
 * Decides who may use the control routes, for every door. Whether a token is disabled or has expired
 * is about the operations: its owner may have to turn the clock back.
 */
export class ControlAccess {
  readonly #worlds: WorldPool;

  constructor(worlds: WorldPool) {
    this.#worlds = worlds;
  }

  /** What a request may steer, or why it may not. */
  reachOf({ authorization, token }: Credentials, remote: string | undefined): Reach | ApiError {
    const { isIsolated, isRestricted, main } = this.#worlds;
    if (authorization !== undefined && token === undefined) {
      return unauthorized(expectedToken(authorization));
    }
    const isOpen = !isRestricted && main.controlToken === undefined;
    if (isOpen && remote !== undefined) return toRemoteRefusal(remote);
    if (token !== undefined) {
      if (main.isControlToken(token)) return "all";
      if (this.#worlds.hasOwn(token)) return "own";
      const listed = main.store.find(token)?.token;
      if (listed !== undefined && hasControl(listed)) return "all";
      if (listed !== undefined && !isOpen) return new ApiError("INSUFFICIENT_PERMISSIONS", MISSING);
    }
    if (isOpen) return isIsolated ? "shared" : "all";
    if (token === undefined) return unauthorized(`expected ${WANTED}, found none`);
    return unauthorized(`the token is not known; expected ${WANTED}`);
  }

  /**
   * Keeps a request from locking everyone out of the shared world by the tokens that it lists.
   * @param tokens all that would be listed
   * @throws UsageError where none of them could steer the shared world, and nothing else could
   */
  checkTokens(tokens: readonly ListedToken[]): void {
    const { isIsolated, isRestricted, main } = this.#worlds;
    // With isolation, tokens that are listed later restrict nothing.
    if (main.controlToken !== undefined || (isIsolated && !isRestricted)) return;
    // Without isolation, control routes are open again where no token is listed.
    if (!isIsolated && tokens.length === 0) return;
    // With isolation, a token that was not listed at the start may have its own world.
    const isSteering = (each: ListedToken) => hasControl(each) && !this.#worlds.hasOwn(each.token);
    if (tokens.some(isSteering)) return;
    const which = isIsolated ? "one that was listed at the start and has" : "one with";
    throw new UsageError(
      `tokens: expected ${which} the permission ${CONTROL_PERMISSION} or *, because without it no request could use control routes any more; add one, or start with a control token (--control-token, or the option controlToken)`,
    );
  }
}

function hasControl({ permissions = [] }: Pick<ListedToken, "permissions">): boolean {
  return permissions.includes("*") || permissions.includes(CONTROL_PERMISSION);
}

const CONTROL_TOKEN =
  "the control token (--control-token, LATCHKEY_CONTROL_TOKEN, or printed at the start)";
const WANTED = `${CONTROL_TOKEN}, or a listed token with the permission ${CONTROL_PERMISSION} or *`;
const MISSING = `authorization: the token needs the permission ${CONTROL_PERMISSION} or * for control routes; list it with one, or send ${CONTROL_TOKEN}`;

function unauthorized(message: string): ApiError {
  return new ApiError("UNAUTHORIZED", `authorization: ${message}`, { headers: CHALLENGE });
}

function toRemoteRefusal(remote: string): ApiError {
  const message = `address: expected a request from this machine, but this one ${remote}; where no token is listed, other machines may use control routes only with a control token: start with one (--control-token, or the option controlToken)`;
  return new ApiError("DISABLED", message);
}

/** Not drawn from the random seed, which others may know. */
function makeControlToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `control_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

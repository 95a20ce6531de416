import type { TokenGrant } from "../seed/check.ts";
import { type AccessTokenInit, EXPECTED_TOKEN, isToken } from "../state/records/tokens.ts";
import { UsageError } from "../base/usage-error.ts";
import type { World } from "./world.ts";
import type { ResetOptions } from "./settings.ts";

/** How many isolated worlds are kept. Then idle ones are dropped, the least recently used first. */
const MAX_WORLDS = 1_000;
/** How many records the isolated worlds may have together. Each record takes memory in each world. */
const MAX_RECORDS = 20_000_000;

export interface Isolation {
  /** The only accepted tokens; undefined if any is accepted. */
  readonly grants: readonly TokenGrant[] | undefined;
}

export interface PooledWorld {
  readonly world: World;
  /**
   * The number of pending requests; infinite if it is pinned. Each request lowers it at its end. An
   * isolated world with none may be dropped.
   */
  uses: number;
}

/** The shared world, and with isolation the worlds of single tokens. */
export class WorldPool {
  readonly main: World;
  readonly #isolation: Isolation | undefined;
  readonly #shared: PooledWorld;
  /** Isolated worlds by token, the least recently used first. */
  readonly #isolated = new Map<string, PooledWorld>();
  /** How many worlds `pin` has returned to callers in this process. They are never dropped. */
  #pinned = 0;

  constructor(main: World, isolation: Isolation | undefined) {
    this.main = main;
    this.#shared = { world: main, uses: 0 };
    this.#isolation = isolation;
  }

  get isIsolated(): boolean {
    return this.#isolation !== undefined;
  }

  /** Whether only the tokens of the options have isolated worlds. Such tokens restrict access. */
  get hasGrants(): boolean {
    return this.#isolation?.grants !== undefined;
  }

  get isolatedTokens(): readonly TokenGrant[] {
    return (this.#isolation?.grants ?? []).filter(({ token }) => this.reach(token) === "own");
  }

  /**
   * Whether any token is listed, or given in the options. The control routes of the shared world then need
   * a listed token with the permission `latchkey.control` or `*`, or the control token. With isolation, if
   * the options give no tokens, any other token may still call operations in its own world.
   */
  get isRestricted(): boolean {
    if (this.#isolation === undefined) return this.main.store.listsTokens;
    return this.hasGrants || this.main.initial.lists();
  }

  /** The world to which the token of a request belongs. It is kept until the caller has lowered `uses` again. */
  acquire(token: string | undefined): PooledWorld {
    const isOwn = this.#isolation !== undefined && token !== undefined;
    const pooled = (isOwn ? this.#find(token) : undefined) ?? this.#shared;
    pooled.uses += 1;
    if (isOwn) this.#dropIdle();
    return pooled;
  }

  /** The world that a token has now: unlike `acquire`, it makes none. */
  current(token: string | undefined): World {
    return (token === undefined ? undefined : this.#isolated.get(token)?.world) ?? this.main;
  }

  /**
   * The world of a token, which is kept as long as the emulator exists.
   * @throws UsageError without isolation, and for a token that is not accepted
   */
  pin(token: string): World {
    if (this.#isolation === undefined) {
      throw new UsageError(
        "workspace: expected the option isolate; without it all tokens share one workspace",
      );
    }
    if (typeof token !== "string" || !isToken(token)) {
      throw new UsageError(`workspace: ${EXPECTED_TOKEN}`);
    }
    const isolated = this.#find(token);
    if (isolated === undefined && this.main.access(token) === undefined) {
      throw new UsageError("workspace: expected a token that this emulator accepts");
    }
    if (isolated === undefined) return this.main;
    if (isolated.uses < Infinity) this.#pinned += 1;
    isolated.uses = Infinity;
    return isolated.world;
  }

  /**
   * Which world requests with this token reach. Without isolation, it is the shared one. With isolation,
   * it is the shared one if a fixture lists the token, else the token's own. Undefined if isolation
   * refuses the token.
   */
  reach(token: string): "own" | "shared" | undefined {
    if (this.#isolation === undefined || this.main.initial.lists(token)) return "shared";
    const { grants } = this.#isolation;
    const isGranted = grants === undefined || grants.some((grant) => grant.token === token);
    return isGranted && !this.main.isControlToken(token) ? "own" : undefined;
  }

  /** Restarts every isolated world from the initial state of the shared world. */
  restartAll(): void {
    for (const [token, { world }] of this.#isolated)
      world.restartAs(this.main, this.#grantOf(token));
  }

  async reset(options: ResetOptions): Promise<void> {
    const worlds = Array.from(this.#isolated.values(), ({ world }) => world);
    await Promise.all([this.main, ...worlds].map((world) => world.reset(options)));
  }

  #find(token: string): PooledWorld | undefined {
    if (this.reach(token) !== "own") return undefined;
    const isolated = this.#isolated.get(token) ?? {
      world: this.main.fork(this.#grantOf(token)),
      uses: 0,
    };
    // Deleted and set again, so that it becomes the most recently used one.
    this.#isolated.delete(token);
    this.#isolated.set(token, isolated);
    return isolated;
  }

  /** A token of the options, with its permissions in its own world. Default: all permissions. */
  #grantOf(token: string): AccessTokenInit | undefined {
    const grant = this.#isolation?.grants?.find((candidate) => candidate.token === token);
    return grant && { token, permissions: [...(grant.permissions ?? ["*"])] };
  }

  #dropIdle(): void {
    const max =
      this.#pinned + Math.min(MAX_WORLDS, Math.ceil(MAX_RECORDS / this.main.initial.size));
    for (const [token, { uses }] of this.#isolated) {
      if (this.#isolated.size <= max) return;
      if (uses === 0) this.#isolated.delete(token);
    }
  }
}

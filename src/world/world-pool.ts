import type { TokenGrant } from "../seeding/fixtures/tokens.ts";
import { EXPECTED_TOKEN, isToken, type AccessTokenInit } from "../store/records.ts";
import { UsageError } from "../usage-error.ts";
import type { ResetOptions } from "./reset-options.ts";
import type { World } from "./world.ts";

/** Idle worlds go, the one that was used longest ago first, when there are more than so many. */
const MAX_WORLDS = 1_000;
/** Fewer are kept where they are large: each record costs each of them some ten bytes. */
const MAX_RECORDS = 20_000_000;

/** How tokens are kept apart. */
export interface Isolation {
  /** The only tokens that may come; undefined where any may. */
  readonly grants: readonly TokenGrant[] | undefined;
}

/** The world of one token. */
interface IsolatedWorld {
  readonly world: World;
  /** Requests that are under way in it. */
  leases: number;
}

/** A stay of one request in the world that it belongs to. */
export interface Lease {
  readonly world: World;
  release(): void;
}

/** The world that everybody shares, and with isolation those of single tokens beside it. */
export class WorldPool {
  readonly main: World;
  readonly #isolation: Isolation | undefined;
  /** In the world of all, which nothing has to be left of. */
  readonly #sharedLease: Lease;
  /** By token, the one that was used longest ago first. */
  readonly #isolated = new Map<string, IsolatedWorld>();
  /** The `lastStretch` of dropped worlds, by token, so that a world that is made again repeats no id. */
  readonly #lastStretches = new Map<string, number>();
  /** How often all worlds were reset with fresh ids. */
  #freshResets = 0;
  /** Those that somebody in this process has asked for. */
  readonly #pinned = new Map<string, IsolatedWorld>();

  constructor(main: World, isolation: Isolation | undefined) {
    this.main = main;
    this.#sharedLease = { world: main, release: () => {} };
    this.#isolation = isolation;
  }

  get isIsolated(): boolean {
    return this.#isolation !== undefined;
  }

  /** Tokens that were named among the options and have worlds of their own. */
  get isolatedTokens(): readonly TokenGrant[] {
    return (this.#isolation?.grants ?? []).filter(({ token }) => !this.isShared(token));
  }

  /** Whether only tokens that are listed, or were named among the options, may come. */
  get isRestricted(): boolean {
    if (this.#isolation === undefined) return this.main.store.isListing;
    return this.#isolation.grants !== undefined || this.main.listedAtStart();
  }

  /** Lets a request into the world that its token belongs to. It must leave that again. */
  acquire(token: string | undefined): Lease {
    if (this.#isolation === undefined) return this.#sharedLease;
    const isolated = token === undefined ? undefined : this.#find(token);
    if (isolated === undefined) return this.#sharedLease;
    isolated.leases += 1;
    this.#dropIdle();
    return {
      world: isolated.world,
      release: () => {
        isolated.leases -= 1;
      },
    };
  }

  /**
   * The world of a token, for as long as the emulator lives.
   * @throws UsageError without isolation, and for a token that may not come
   */
  pin(token: string): World {
    if (this.#isolation === undefined) {
      throw new UsageError(
        "workspace: expected the option isolate; without it all tokens share one",
      );
    }
    if (typeof token !== "string" || !isToken(token)) {
      throw new UsageError(`workspace: ${EXPECTED_TOKEN}`);
    }
    const isolated = this.#find(token);
    if (isolated !== undefined) {
      this.#isolated.delete(token);
      this.#pinned.set(token, isolated);
    } else if (this.main.access(token) === undefined) {
      throw new UsageError("workspace: expected one of the tokens that may come");
    }
    return isolated?.world ?? this.main;
  }

  /** Whether requests with this token reach the world of all: a fixture lists it. */
  isShared(token: string): boolean {
    return this.#isolation === undefined || this.main.listedAtStart(token);
  }

  /** Whether requests with this token reach a world that only this token has. */
  hasOwn(token: string): boolean {
    return !this.isShared(token) && this.#mayHaveOwn(token);
  }

  /** Lets each token start over from what everybody starts from by now. */
  startOver(): void {
    for (const [token, { world }] of this.#all()) {
      const lastStretch = Math.max(this.#lastStretchOf(token), world.lastStretch);
      world.startLike(this.main, this.#grantOf(token), lastStretch);
    }
  }

  /** Brings the shared world and those of single tokens back to their start. */
  async reset(options: ResetOptions): Promise<void> {
    // A world that does not exist yet begins with fresh ids as well, when a request makes it.
    if (options.freshIds) this.#freshResets += 1;
    const worlds = Array.from(this.#all(), ([, { world }]) => world);
    await Promise.all([this.main, ...worlds].map((world) => world.reset(options)));
  }

  #all(): Iterable<readonly [token: string, isolated: IsolatedWorld]> {
    return [...this.#isolated, ...this.#pinned];
  }

  /** Undefined for a token that has no world of its own: one that is listed, or may not come. */
  #find(token: string): IsolatedWorld | undefined {
    if (this.isShared(token)) return undefined;
    const held = this.#pinned.get(token);
    if (held !== undefined) return held;
    let guest = this.#isolated.get(token);
    // Taken out and put in again, it is the one that was used last.
    if (guest !== undefined) this.#isolated.delete(token);
    else {
      const world = this.#fork(token);
      if (world === undefined) return undefined;
      guest = { world, leases: 0 };
    }
    this.#isolated.set(token, guest);
    return guest;
  }

  #mayHaveOwn(token: string): boolean {
    if (this.main.isControlToken(token)) return false;
    const grants = this.#isolation?.grants;
    return grants === undefined || grants.some((grant) => grant.token === token);
  }

  /** A world of its own for a token; undefined for one that may not come. */
  #fork(token: string): World | undefined {
    if (!this.#mayHaveOwn(token)) return undefined;
    return this.main.fork(this.#grantOf(token), this.#lastStretchOf(token));
  }

  #lastStretchOf(token: string): number {
    return Math.max(this.#lastStretches.get(token) ?? 0, this.#freshResets);
  }

  /** What a token may do in its world, where it was named among the options. */
  #grantOf(token: string): AccessTokenInit | undefined {
    const grant = this.#isolation?.grants?.find((each) => each.token === token);
    return grant && { token, permissions: [...(grant.permissions ?? ["*"])] };
  }

  #dropIdle(): void {
    const max = Math.min(MAX_WORLDS, Math.ceil(MAX_RECORDS / this.main.startSize));
    if (this.#isolated.size <= max) return;
    for (const [token, { leases, world }] of this.#isolated) {
      if (this.#isolated.size <= max) return;
      if (leases === 0) this.#drop(token, world);
    }
  }

  /** Drops an idle world. */
  #drop(token: string, { lastStretch }: World): void {
    this.#isolated.delete(token);
    if (lastStretch > 0) this.#lastStretches.set(token, lastStretch);
  }
}

import type { TokenGrant } from "../seeding/fixtures/tokens.ts";
import { EXPECTED_TOKEN, isToken } from "../store/records.ts";
import { UsageError } from "../usage-error.ts";
import { bearerTokenOf } from "./authenticate.ts";
import type { World } from "./world.ts";

/** Idle worlds go, the one that was used longest ago first, when there are more than so many. */
const MAX_WORLDS = 1_000;

/** How tokens are kept apart. */
export interface Isolation {
  /** The only tokens that may come; undefined where any may. */
  readonly grants: readonly TokenGrant[] | undefined;
}

/** The world of one token. */
interface Isolated {
  readonly world: World;
  /** Requests that are under way in it. */
  visitors: number;
  /** Whether somebody in this process holds it. */
  isHeld: boolean;
}

/** A stay of one request in the world that it belongs to. */
export interface Visit {
  readonly world: World;
  end(): void;
}

/** The world that everybody shares, and with isolation those of single tokens beside it. */
export class Worlds {
  readonly main: World;
  readonly #isolation: Isolation | undefined;
  /** By token, the one that was used longest ago first. */
  readonly #isolated = new Map<string, Isolated>();

  constructor(main: World, isolation: Isolation | undefined) {
    this.main = main;
    this.#isolation = isolation;
  }

  /** Whether only tokens that are listed, or were named among the options, may come. */
  get isRestricted(): boolean {
    const { workspaces } = this.main.store;
    return (
      this.#isolation?.grants !== undefined ||
      workspaces.all().some(({ tokens }) => tokens.count() > 0)
    );
  }

  /** Lets a request into the world that its token belongs to. It must leave that again. */
  visit(authorization: string | undefined): Visit {
    const token = bearerTokenOf(authorization);
    const isolated = token === undefined ? undefined : this.#find(token);
    if (isolated === undefined) return { world: this.main, end: () => {} };
    isolated.visitors += 1;
    this.#dropIdle();
    return {
      world: isolated.world,
      end: () => {
        isolated.visitors -= 1;
      },
    };
  }

  /**
   * The world of a token, for as long as the emulator lives.
   * @throws UsageError without isolation, and for a token that may not come
   */
  hold(token: string): World {
    if (this.#isolation === undefined) {
      throw new UsageError(
        "workspace: expected the option isolate; without it all tokens share one",
      );
    }
    if (typeof token !== "string" || !isToken(token)) {
      throw new UsageError(`workspace: ${EXPECTED_TOKEN}`);
    }
    const isolated = this.#find(token);
    if (isolated !== undefined) isolated.isHeld = true;
    else if (!this.main.store.lists(token)) {
      throw new UsageError("workspace: expected one of the tokens that may come");
    }
    this.#dropIdle();
    return isolated?.world ?? this.main;
  }

  /** Lets each token start over from what everybody starts from by now. */
  async startOver(): Promise<void> {
    for (const [token, { isHeld, world }] of this.#isolated) {
      if (isHeld) await world.startLike(this.#fork(token) ?? this.main);
      else this.#isolated.delete(token);
    }
  }

  /** Undefined for a token that has no world of its own: one that is listed, or may not come. */
  #find(token: string): Isolated | undefined {
    if (this.#isolation === undefined || this.main.store.lists(token)) return undefined;
    let isolated = this.#isolated.get(token);
    // Taken out and put in again, it is the one that was used last.
    if (isolated !== undefined) this.#isolated.delete(token);
    else {
      const world = this.#fork(token);
      if (world === undefined) return undefined;
      isolated = { world, visitors: 0, isHeld: false };
    }
    this.#isolated.set(token, isolated);
    return isolated;
  }

  /** A world of its own for a token; undefined for one that may not come. */
  #fork(token: string): World | undefined {
    const grants = this.#isolation?.grants;
    if (grants === undefined) return this.main.fork();
    const grant = grants.find((each) => each.token === token);
    return grant && this.main.fork({ token, permissions: [...(grant.permissions ?? ["*"])] });
  }

  #dropIdle(): void {
    if (this.#isolated.size <= MAX_WORLDS) return;
    for (const [token, { isHeld, visitors }] of this.#isolated) {
      if (this.#isolated.size <= MAX_WORLDS) return;
      if (!isHeld && visitors === 0) this.#isolated.delete(token);
    }
  }
}

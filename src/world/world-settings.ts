import type { ServedContract } from "../contract/operation.ts";
import type { FaultInit } from "../faults/fault.ts";
import type { RuleName } from "../findings/rules.ts";
import type { NeededPermissions } from "../journal/needed-permissions.ts";
import type { Generate, OnProgress } from "../seeding/fixtures/state-of-plan.ts";
import type { WorkspaceDependencies } from "../store/workspace.ts";

/** What the worlds of an emulator have in common. */
export interface WorldSettings extends WorkspaceDependencies {
  /** The random seed that the user gave. At the start, it overrides the seed of a snapshot. */
  readonly randomSeed: number | undefined;
  /** The contracts of the served operations, which faults can hit. */
  readonly contracts: readonly ServedContract[];
  /** Faults from the options. They apply from the start and come before those of fixtures. */
  readonly faults: readonly FaultInit[];
  /** Whether any token is accepted while no workspace lists a token. */
  readonly acceptsAnyToken: boolean;
  /** The token for control routes. Operations refuse it. Undefined if there is none. */
  readonly controlToken: string | undefined;
  /** Whether the options or the initial fixtures list a token, which no isolated world does. */
  readonly isListed: (token: string) => boolean;
  /** What the calls of all worlds demanded of their tokens since the start. */
  readonly needs: NeededPermissions;
  /** The rules of findings that are turned off. */
  readonly ignoredRules: ReadonlySet<RuleName>;
  /**
   * Loads the code that makes up keys, for a clock that started at a time (unix ms). Called only if a
   * fixture asks for them.
   */
  readonly loadGenerate: () => Promise<(startedAt: number) => Generate>;
  readonly onProgress: OnProgress | undefined;
}

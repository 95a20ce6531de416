import type { ServedContract } from "../api/operation.ts";
import type { TokenGrant } from "../seed/check.ts";
import type { Generate } from "../seed/state.ts";
import type { FaultInit } from "../faults/fault.ts";
import type { WorkspaceDependencies } from "../state/workspace.ts";
import type { RuleName } from "./findings/rules.ts";
import type { NeededPermissions } from "./journal/needed-permissions.ts";

/** What the worlds of an emulator have in common. */
export interface WorldSettings extends WorkspaceDependencies {
  /** The random seed that the user gave. At the start, it overrides the seed of a snapshot. */
  readonly randomSeed: number | undefined;
  readonly contracts: readonly ServedContract[];
  /** Faults from the options. They apply from the start and come before faults of fixtures. */
  readonly faults: readonly FaultInit[];
  /** Whether any token is accepted while no workspace lists a token. */
  readonly acceptsAnyToken: boolean;
  /** The token for control routes. Operations refuse it. Undefined if there is none. */
  readonly controlToken: string | undefined;
  /** Whether the options or the initial fixtures list a token, which no isolated world does. */
  readonly isListed: (token: string) => boolean;
  /** The permissions that the calls of all worlds needed since the start. */
  readonly needs: NeededPermissions;
  readonly ignoredRules: ReadonlySet<RuleName>;
  /** Names of headers that the journal shows, in lower case. */
  readonly recordedHeaders: readonly string[];
  /**
   * Loads the code that generates keys, for a clock that started at a time (unix ms). Called only if a
   * fixture asks for keys.
   */
  readonly loadGenerate: () => Promise<(startedAt: number) => Generate>;
}

/** Options for resetting a workspace. */
export interface ResetOptions {
  /**
   * Whether records created after the reset get ids and key values that were never used before.
   * They depend on the random seed and on the number of such resets. Default: false, which repeats
   * the same ids and key values.
   */
  readonly freshIds?: boolean | undefined;
}

/** Options for resetting an emulator. */
export interface EmulatorResetOptions extends ResetOptions {
  /** With `isolate`: whether to reset the workspaces of all tokens too. Default: false. */
  readonly all?: boolean | undefined;
}

/**
 * Receives the tokens that would be listed after a change (undefined if they stay the same), and how many
 * keys a fixture has, listed and generated. It throws to prevent the change.
 */
export type CheckFixture = (tokens: readonly TokenGrant[] | undefined, keys: number) => void;

/** Secrets that a client may send by mistake instead of a token. */
export type KnownSecret = "control token" | "key";

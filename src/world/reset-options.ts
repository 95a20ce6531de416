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

/** A token as a fixture or a collection lists it. */
export interface ListedToken {
  readonly token: string;
  readonly permissions?: readonly string[] | undefined;
}

/** Sees the tokens that would be listed after a change, and throws to prevent it. */
export type CheckTokens = (tokens: readonly ListedToken[]) => void;

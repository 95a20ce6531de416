/** A token that a fixture or a collection lists. */
export interface ListedToken {
  readonly token: string;
  readonly permissions?: readonly string[] | undefined;
}

/** Receives the tokens that would be listed after a change. It throws to prevent the change. */
export type CheckTokens = (tokens: readonly ListedToken[]) => void;

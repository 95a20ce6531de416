import { maskSecrets } from "../journal/mask.ts";
import type { Operation } from "../operations/operation.ts";
import type { Credentials } from "./credentials.ts";
import type { PlainRequest } from "./exchange.ts";
import type { World } from "../world/world.ts";

/** Method and path for the log and the journal, with secrets masked. */
export interface RequestTarget {
  readonly method: string;
  readonly path: string;
}

/** Methods of this form are not masked. */
const METHOD = /^[A-Z]{3,7}$/;

/** For a served path this is the operation's own path. Any other path may contain secrets. */
export function targetOf(
  { method, path }: Pick<PlainRequest, "method" | "path">,
  operation: Operation | undefined,
  world: World,
  credentials: Credentials,
): RequestTarget {
  const shownMethod = METHOD.test(method) ? method : maskSecrets(method);
  if (operation !== undefined) return { method: shownMethod, path: operation.contract.path };
  return {
    method: shownMethod,
    path: maskSecrets(decoded(path), secretsOf(world, credentials)),
  };
}

/**
 * The tokens to mask: all listed tokens, the control token, and the token that the client sent. The
 * longest is first, because a shorter one may be a part of it.
 */
export function secretsOf(
  { controlToken = "", sharedWorld, store }: World,
  { authorization }: Credentials,
): string[] {
  const stores = sharedWorld === undefined ? [store] : [store, sharedWorld.store];
  const allWorkspaces = stores.flatMap(({ workspaces }) => [...workspaces.values()]);
  const listed = allWorkspaces.flatMap(({ tokens }) => [...tokens.values()]);
  const secrets = [...listed.map(({ token }) => token), controlToken, sentToken(authorization)];
  return secrets.sort((one, other) => other.length - one.length);
}

/** The last word of the header, whatever the scheme; empty if there is only `Bearer`. */
function sentToken(authorization: string | undefined): string {
  const token = authorization?.split(" ").at(-1) ?? "";
  return token === "Bearer" ? "" : token;
}

/** Decodes percent-encoding, so that encoded secrets are found too. Invalid escapes stay. */
function decoded(path: string): string {
  return path.replace(/(?:%[0-9a-f]{2})+/gi, (escape) => {
    try {
      return decodeURIComponent(escape);
    } catch {
      return escape;
    }
  });
}

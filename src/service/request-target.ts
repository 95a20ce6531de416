import { maskSecrets } from "../journal/mask.ts";
import type { Operation } from "../operations/operation.ts";
import type { Credentials } from "./credentials.ts";
import type { PlainRequest } from "./exchange.ts";
import type { World } from "../world/world.ts";

/** Where a request went, for the log and the journal: without secrets. */
export interface RequestTarget {
  readonly method: string;
  readonly path: string;
}

/** Nearly every request has one of these, which are no secrets. */
const METHOD = /^[A-Z]{3,7}$/;

/** A client may put anything into a path that leads nowhere. */
export function targetOf(
  { method, path }: Pick<PlainRequest, "method" | "path">,
  operation: Operation | undefined,
  world: World,
  credentials: Credentials,
): RequestTarget {
  const known = METHOD.test(method) ? method : maskSecrets(method);
  if (operation !== undefined) return { method: known, path: operation.contract.path };
  return {
    method: known,
    path: maskSecrets(decoded(path), secretsOf(world, credentials)),
  };
}

/**
 * Tokens to mask: those that are listed, the control token, and what the client sent as one. The
 * longest comes first, because a shorter one may be a part of it.
 */
export function secretsOf(
  { controlToken = "", origin, store }: World,
  { authorization }: Credentials,
): string[] {
  const stores = origin === undefined ? [store] : [store, origin.store];
  const workspaces = stores.flatMap((each) => [...each.workspaces.values()]);
  const listed = workspaces.flatMap(({ tokens }) => [...tokens.values()]);
  const secrets = [...listed.map(({ token }) => token), controlToken, sentToken(authorization)];
  return secrets.sort((one, other) => other.length - one.length);
}

/** What a client sent as a token, with whatever scheme; the scheme alone is no secret. */
function sentToken(authorization: string | undefined): string {
  const token = authorization?.split(" ").at(-1) ?? "";
  return token === "Bearer" ? "" : token;
}

/** An escape is no disguise; one that cannot be read stays. */
function decoded(path: string): string {
  return path.replace(/(?:%[0-9a-f]{2})+/gi, (escape) => {
    try {
      return decodeURIComponent(escape);
    } catch {
      return escape;
    }
  });
}

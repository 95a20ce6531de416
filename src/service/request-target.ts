import { toLogText, type Mask } from "../journal/mask.ts";
import type { Operation } from "../operations/operation.ts";
import type { Credentials } from "./credentials.ts";
import type { PlainRequest } from "./request.ts";
import { decodePercent } from "../schema/wording/decode-text.ts";
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
  const shown = (text: string) => toLogText(text, maskOf(world, credentials));
  return {
    method: METHOD.test(method) ? method : shown(method),
    path: operation?.contract.path ?? shown(decodePercent(path)),
  };
}

/** Masks the secrets of the emulator, and the token that the client sent. */
export function maskOf({ secrets }: World, { authorization, token }: Credentials): Mask {
  return (text) => secrets.mask(text, token ?? withoutScheme(authorization));
}

/** What follows the first word of a header that has no bearer token; empty if it is only `Bearer`. */
function withoutScheme(authorization = ""): string {
  const rest = authorization.replace(/^\S+\s+/, "").trim();
  return rest === "Bearer" ? "" : rest;
}

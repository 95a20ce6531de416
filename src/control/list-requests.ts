import { ApiError } from "../contract/errors.ts";
import type { Lifetime } from "../base/lifetime.ts";
import { toDuration } from "../store/clock.ts";
import { UsageError } from "../usage-error.ts";
import type { World } from "../world/world.ts";
import type { ControlAnswer } from "./route.ts";
import type { RequestQuery } from "./route-schemas.ts";

/** The longest `wait`, in milliseconds. Proxies and clients give up on a reply that takes much longer. */
const MAX_WAIT = 60_000;

/**
 * Lists the requests that match. With `wait`, it holds the reply until there are `count` of them.
 * @param client ends when the client leaves or the server is closed
 * @throws ApiError 408 if the time is up first, 409 if the state is replaced or the server is closed
 */
export async function listRequests(
  { journal }: World,
  { count, wait, ...filter }: RequestQuery,
  client: Lifetime | undefined,
): Promise<ControlAnswer> {
  if (wait === undefined) {
    if (count !== undefined) throw new UsageError("query: count: expected wait as well");
    return { body: { requests: journal.list(filter) } };
  }
  if ((toDuration(wait) ?? 0) > MAX_WAIT) {
    throw new UsageError("query: wait: expected at most a minute");
  }
  const end = await journal.wait({ ...filter, count }, wait, client);
  if (typeof end === "object") return { body: { requests: end } };
  if (end !== undefined) throw new ApiError("BAD_REQUEST", `requests: ${end}`, { status: 408 });
  throw new ApiError("CONFLICT", ENDED);
}

const ENDED = "requests: the emulator was reset, restored or closed while this call waited";

import { isRecord } from "../base/json.ts";
import { toFixedRequest, toLimitRequest } from "../service/operations/limits.ts";
import { limitsLeft } from "../service/operations/verification.ts";
import {
  checkFixedLimits,
  checkLimits,
  type LimitRequest,
  type LimitResult,
} from "../state/limits/counters.ts";
import type { Workspace } from "../state/workspace.ts";
import type { JournalEntry } from "../world/journal/recorded-request.ts";
import type { World } from "../world/world.ts";
import { usedLimits as answer, type UsedLimit } from "./route-schemas.ts";
import { defineRoute, type ControlRoute } from "./route.ts";

// The uses that are left now in the limits that calls of the journal used.

type Left = Pick<LimitResult, "remaining" | "reset"> & Pick<UsedLimit, "limit" | "duration">;

/** A limit that a call used. */
interface Use extends Pick<UsedLimit, "who" | "of" | "keyId" | "isRefused"> {
  /** The uses left at a time; undefined if the limit is gone. Nothing is counted. */
  readonly leftAt: (time: number) => Left | undefined;
}

export const usedLimitsRoute: ControlRoute = defineRoute("GET /used-limits", {
  summary: "Show the uses left in the rate limits that calls used",
  isForWatching: true,
  description:
    "The rate limits of keys and of namespaces that a call in the journal used, as they are now, that with the smallest share left first. Nothing is counted.",
  answers: { 200: answer },
  run: (world, { token }) => ({
    body: { limits: usedLimits(world, world.openAccess(token).workspace) },
  }),
});

function usedLimits(world: World, workspace: Workspace): readonly UsedLimit[] {
  const byId = new Map<string, readonly [use: Use, requestId: string]>();
  for (const entry of world.journal.entries()) {
    for (const use of usesIn(entry, world, workspace)) {
      byId.set(JSON.stringify([use.keyId ?? use.who, use.of]), [use, entry.requestId]);
    }
  }
  const now = world.clock.now();
  const limits = [...byId.values()].flatMap(([{ leftAt, of, who, ...use }, requestId]) => {
    const left = leftAt(now);
    if (left === undefined) return [];
    const { duration, limit, remaining, reset } = left;
    // In a sliding window, the uses of a window still count in the next one.
    const isOver = leftAt(reset)?.remaining === limit;
    const full = reset + (isOver ? 0 : duration);
    return {
      who: world.mask(who),
      of: world.mask(of),
      ...use,
      requestId,
      limit,
      duration,
      remaining,
      ...(remaining < limit && { full }),
    };
  });
  const share = ({ limit, remaining }: UsedLimit) => remaining / limit || 0;
  return limits.sort((one, other) => share(one) - share(other));
}

function usesIn(entry: JournalEntry, world: World, workspace: Workspace): readonly Use[] {
  const { operation, status } = entry;
  if (status !== 200) return [];
  if (operation === "keys.verifyKey") return usesOfKey(entry, workspace);
  const isOfNamespace = operation === "ratelimit.limit" || operation === "ratelimit.multiLimit";
  if (!isOfNamespace && operation !== "ratelimits.limit") return [];
  const isHere = world.openAccess(entry.token).workspace === workspace;
  return isHere ? usesOfNamespaces(entry, workspace) : [];
}

/** The records in the answer of a call, of either version. */
function resultsIn({ answer }: JournalEntry, ...members: readonly string[]) {
  // Unmasked, because an identifier may look like a secret. The shown text is masked later.
  const body = answer?.read((text) => text);
  const data = isRecord(body) && isRecord(body["data"]) ? body["data"] : body;
  if (!isRecord(data)) return { data: {}, results: [] };
  const found = members.map((member) => data[member]).find((value) => value !== undefined);
  return { data, results: [found].flat().filter(isRecord) };
}

function usesOfKey(entry: JournalEntry, workspace: Workspace): readonly Use[] {
  const { data, results } = resultsIn(entry, "ratelimits", "ratelimit");
  const key = workspace.keys.get(String(data["keyId"]));
  if (key === undefined) return [];
  const configured = (time: number) => limitsLeft(workspace, key, time);
  return results.flatMap(({ duration, exceeded, id, limit, name }) => {
    // A reply of v1 shows neither the name of its limit nor whether it refused.
    const isSame = (left: Left & { readonly name: string }) =>
      name === undefined ? left.limit === limit : left.name === name;
    const of = name ?? configured(0).find(isSame)?.name;
    if (typeof of !== "string") return [];
    const own = { ownerId: key.id, name: of, limit: Number(limit), duration: Number(duration) };
    // A limit that only this call sets has no id.
    const leftAt = (time: number) =>
      id === "" ? check(workspace, own, time) : configured(time).find(isSame);
    const isRefused = exceeded ?? data["code"] === "RATE_LIMITED";
    return [{ who: key.name ?? key.id, of, keyId: key.id, isRefused: isRefused === true, leftAt }];
  });
}

/** The input of a call that names a namespace. */
type Asked = Parameters<typeof toFixedRequest>[1] & { readonly namespace?: string };

function usesOfNamespaces(entry: JournalEntry, workspace: Workspace): readonly Use[] {
  const { data, results } = resultsIn(entry, "limits");
  const all = results.length === 0 ? [data] : results;
  const asked = [entry.input.read((text) => text)].flat() as readonly Asked[];
  const isFixed = entry.operation === "ratelimits.limit";
  return all.flatMap((result, index) => {
    const use = asked[index];
    if (!isRecord(use)) return [];
    // v1 has this default.
    const { namespace: name = "default" } = use;
    const { ratelimitNamespaces } = workspace;
    const namespace = isFixed ? ratelimitNamespaces.named(name) : ratelimitNamespaces.find(name);
    if (namespace === undefined) return [];
    const leftAt = (time: number) => {
      const request = (isFixed ? toFixedRequest : toLimitRequest)(namespace, use);
      return check(workspace, request, time, isFixed ? checkFixedLimits : checkLimits);
    };
    const isRefused = (result["passed"] ?? result["success"]) === false;
    return [{ who: use.identifier, of: namespace.name, keyId: undefined, isRefused, leftAt }];
  });
}

function check(
  { counters }: Workspace,
  request: Omit<LimitRequest, "cost">,
  time: number,
  rule?: typeof checkLimits,
): Left {
  const { duration, limit } = request;
  const [result] = counters.take([{ ...request, cost: 0 }], time, rule);
  return { limit, duration, ...(result as LimitResult) };
}

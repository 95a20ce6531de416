import { and, or, Unkey } from "@unkey/api";
import { Unkey as Unkey2 } from "unkey-api-2";

/*
 * Both generations of the public client behind one interface, so that tests are written once. Nothing
 * here needs Node: a page can load it too.
 */

/** The settings of a key, as far as clients of both versions know them. */
interface Settings {
  readonly name?: string;
  readonly enabled?: boolean;
  readonly expires?: number;
  readonly limit?: { readonly limit: number; readonly duration: number };
  readonly permissions?: readonly string[];
  readonly roles?: readonly string[];
}

/** Uses that are left, and what a refill at midnight brings them to. */
interface Uses {
  readonly left: number;
  readonly daily: number;
}

interface Outcome {
  readonly code: string | undefined;
  readonly keyId?: string | undefined;
  readonly name?: string | undefined;
  readonly usesLeft?: number | undefined;
  /** The uses left in the rate limit, and the end of its window. */
  readonly limit?: { readonly remaining: number; readonly reset: number } | undefined;
}

/** Permissions, all or one of which a key has to have. */
export type Query = readonly [which: "all" | "any", ...permissions: string[]];

/** The calls that tests make with a client of either version. A refused call throws. */
export interface Client {
  create(settings?: Settings & { apiId?: string; prefix?: string; uses?: Uses }): Promise<Created>;
  verify(key: string, query?: Query): Promise<Outcome>;
  update(keyId: string, settings: Settings): Promise<unknown>;
  delete(keyId: string): Promise<unknown>;
  addUses(keyId: string, count: number): Promise<unknown>;
  nameOf(keyId: string): Promise<string | undefined>;
}

interface Created {
  readonly key: string;
  readonly keyId: string;
}

/** The client 0.38, which returns errors. */
export function connectOlder(url: string): Client {
  const { keys } = new Unkey({
    rootKey: "root",
    baseUrl: url,
    retry: { attempts: 1, backoff: () => 1 },
  });
  return {
    create: async ({ apiId = "api_pay", limit, permissions, roles, uses, ...settings } = {}) =>
      unwrap(
        await keys.create({
          apiId,
          ...settings,
          ...(permissions && { permissions: [...permissions] }),
          ...(roles && { roles: [...roles] }),
          ...(limit && { ratelimit: { async: false, ...limit } }),
          ...(uses && {
            remaining: uses.left,
            refill: { interval: "daily", amount: uses.daily },
          }),
        }),
      ),
    verify: async (key, [which, ...permissions] = ["all"]) => {
      const query = which === "all" ? and(...permissions) : or(...permissions);
      const result = unwrap(
        await keys.verify({
          key,
          ...(permissions.length > 0 && { authorization: { permissions: query } }),
        }),
      );
      const { code, keyId, name, ratelimit: limit, remaining: usesLeft } = result;
      return { code, keyId, name, usesLeft, limit };
    },
    update: async (keyId, { limit, permissions, roles, ...settings }) =>
      unwrap(
        await keys.update({
          keyId,
          ...settings,
          ...(limit && { ratelimit: { async: false, ...limit } }),
          ...(permissions && { permissions: permissions.map((name) => ({ name, create: true })) }),
          ...(roles && { roles: roles.map((name) => ({ name })) }),
        }),
      ),
    delete: async (keyId) => unwrap(await keys.delete({ keyId })),
    addUses: async (keyId, value) =>
      unwrap(await keys.updateRemaining({ keyId, op: "increment", value })),
    nameOf: async (keyId) => unwrap(await keys.get({ keyId })).name,
  };
}

export function unwrap<Result>(
  answer: { result: Result; error?: never } | { result?: never; error: { code: string } },
): Result {
  if (answer.error) throw new Error(answer.error.code);
  return answer.result;
}

/** The client 2.5.1, which throws errors. */
export function connectNewer(url: string): Client {
  const { keys } = connect2(url);
  const shared = ({ limit, permissions, roles, ...settings }: Settings) => ({
    ...settings,
    ...(permissions && { permissions: [...permissions] }),
    ...(roles && { roles: [...roles] }),
    ...(limit && { ratelimits: [{ name: "default", autoApply: true, ...limit }] }),
  });
  return {
    create: async ({ apiId = "api_pay", prefix, uses, ...settings } = {}) => {
      const { data } = await keys.createKey({
        apiId,
        ...shared(settings),
        ...(prefix && { prefix }),
        ...(uses && {
          credits: {
            remaining: uses.left,
            refill: { interval: "daily", amount: uses.daily },
          },
        }),
      });
      return data;
    },
    verify: async (key, [which, ...permissions] = ["all"]) => {
      const text = permissions.join(which === "all" ? " AND " : " OR ");
      const { data } = await keys.verifyKey({ key, ...(text && { permissions: text }) });
      const { code, credits: usesLeft, keyId, name, ratelimits: [limit] = [] } = data;
      return { code, keyId, name, usesLeft, limit };
    },
    update: (keyId, settings) => keys.updateKey({ keyId, ...shared(settings) }),
    delete: (keyId) => keys.deleteKey({ keyId }),
    addUses: (keyId, value) => keys.updateCredits({ keyId, operation: "increment", value }),
    nameOf: async (keyId) => (await keys.getKey({ keyId })).data.name,
  };
}

export function connect2(url: string): Unkey2 {
  return new Unkey2({ rootKey: "root", serverURL: url, retryConfig: { strategy: "none" } });
}

/** The way to reach each version at a URL. */
export const clients = { "0.38": connectOlder, "2.5.1": connectNewer } as const;
export type ClientVersion = keyof typeof clients;

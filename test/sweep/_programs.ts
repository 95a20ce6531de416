// Answers have many shapes.
/* oxlint-disable typescript/no-explicit-any */
import { setTimeout } from "node:timers/promises";
import type { Fixture } from "../../src/index.ts";
import type { SweepWorld } from "../../src/sweep.ts";

export type Program = (world: Pick<SweepWorld, "url">, who?: string) => Promise<unknown>;

/** The timeout of a call, in timers of 5 ms. The emulator runs in the same event loop, so a busy machine slows both. */
const TIMERS = 200;

/** A response with an error status. */
class Refused extends Error {
  readonly status: number;
  readonly retryAfter: number;

  constructor({ headers, status }: Response) {
    super(`status ${status}`);
    this.status = status;
    this.retryAfter = Number(headers.get("retry-after") ?? 0);
  }
}

/** Calls an operation, and resolves to the body. Rejects for an error status, and without an answer. */
async function post(url: string, operation: string, input: object): Promise<any> {
  const limit = new AbortController();
  let isDone = false;
  const giveUp = async () => {
    for (let timer = 0; timer < TIMERS && !isDone; timer += 1) await setTimeout(5);
    limit.abort();
  };
  void giveUp();
  try {
    const response = await fetch(`${url}/v2/${operation}`, {
      method: "POST",
      headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
      body: JSON.stringify(input),
      signal: limit.signal,
    });
    if (!response.ok) throw new Refused(response);
    return await response.json();
  } finally {
    isDone = true;
  }
}

export async function call(url: string, operation: string, input: object): Promise<any> {
  return (await post(url, operation, input)).data;
}

/** Tries up to three times, and waits if the service asks for it. */
async function retry<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let left = 2; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
      const { retryAfter = 0 } = error as Partial<Refused>;
      await setTimeout(10 * retryAfter);
    }
  }
}

export function check(isTrue: unknown, expected: string): void {
  if (!isTrue) throw new Error(`expected ${expected}`);
}

export const main = { apiId: "api_shop", name: "main", externalId: "user_9" };
const apiId = "api_shop";
const owned = (externalId: string) => ({ apiId, externalId });
const valueOf = (who: string) => `shop_secret_of_${who}`;

const owners = ["user_1", "user_2"];
export const shop: Fixture = {
  apis: [{ id: apiId }],
  roles: [{ name: "editor" }],
  identities: owners.map((externalId) => ({ externalId, meta: { plan: "free" } })),
  keys: [
    ...owners.flatMap((who) => [
      { ...owned(who), name: "old", key: valueOf(who), meta: { plan: "free" }, roles: ["editor"] },
      { ...owned(who), name: "paid", key: `${valueOf(who)}_paid`, credits: { remaining: 10 } },
    ]),
    { apiId, name: "third" },
  ],
};

export const listAll = async (url: string, query: object = {}): Promise<any[]> => {
  const keys = [];
  for (let cursor: string | undefined; ;) {
    const input = { apiId, limit: 100, ...query, ...(cursor && { cursor }) };
    const response = await retry(() => post(url, "apis.listKeys", input));
    keys.push(...response.data);
    if (!response.pagination.hasMore) return keys;
    ({ cursor } = response.pagination);
  }
};

async function idOf(url: string, who: string, name = "old"): Promise<string> {
  return (await listAll(url, { externalId: who })).find((key) => key.name === name).keyId;
}

/** Creates the key of an owner, or gives an existing key a new value. */
async function ensureKey(url: string, externalId: string, name = "main"): Promise<string> {
  return retry(async () => {
    const known = (await listAll(url, { externalId })).find((key) => key.name === name);
    const { key } =
      known === undefined
        ? await call(url, "keys.createKey", { ...owned(externalId), name })
        : await call(url, "keys.rerollKey", { keyId: known.keyId, expiration: 0 });
    return key;
  });
}

const unlessKnown = (error: Refused) => {
  if (error.status !== 409) throw error;
};

async function ensureIdentity(url: string, externalId: string): Promise<void> {
  await retry(() => call(url, "identities.createIdentity", { externalId }).catch(unlessKnown));
}

/** Creates a key, and deletes it if that fails. */
async function createOrRemove(url: string, externalId: string): Promise<void> {
  await call(url, "keys.createKey", { ...owned(externalId), name: "main" }).catch(async (error) => {
    await cleanUp(url, externalId, "main");
    throw error;
  });
}

const unlessGone = (error: Refused) => {
  if (error.status !== 404) throw error;
};

/** Deletes the keys of an owner. A key that was already deleted is no failure. */
async function cleanUp(url: string, externalId: string, name?: string): Promise<void> {
  await retry(async () => {
    for (const key of await listAll(url, { externalId }))
      if (name === undefined || key.name === name)
        await call(url, "keys.deleteKey", { keyId: key.keyId }).catch(unlessGone);
  });
}

const verify = (url: string, who: string, more: object = {}) =>
  call(url, "keys.verifyKey", { key: valueOf(who), ...more });
const use = (who: string) => ({ namespace: "mail", identifier: who, limit: 5, duration: 60_000 });
const swallow = () => ({});
const lost = "(?:lost-after|truncated)";
const failed = "(?:500|429|lost-before|hang)";
const any = "(?:500|429|lost-before|lost-after|hang|truncated)";

/** A program with a mistake and its correct counterpart, with the cases that find the mistake. */
export interface Pair {
  readonly wrong: Program;
  readonly right: Program;
  readonly cases: string;
  readonly verdict: string;
  readonly atomic?: boolean;
}

export const pairs: Record<string, Pair> = {
  "retries a create blindly": {
    async wrong({ url }, who = "user_9") {
      const create = () => call(url, "keys.createKey", { ...owned(who), name: "main" });
      await create().catch(create);
    },
    right: async ({ url }, who = "user_9") => check(await ensureKey(url, who), "a key"),
    cases: `createKey\\(main,WHO\\).${lost}`,
    verdict: "passes-but",
  },
  "leaves a key behind when it fails": {
    async wrong({ url }, who = "user_9") {
      await call(url, "keys.createKey", { ...owned(who), name: "main" });
    },
    right: ({ url }, who = "user_9") => createOrRemove(url, who),
    cases: `createKey\\(main,WHO\\).${lost}`,
    verdict: "orphan",
  },
  "lets callers in while the service fails": {
    async wrong({ url }, who = "user_1") {
      const { valid } = await verify(url, who).catch(() => ({ valid: true }));
      check(valid, "a valid key");
    },
    async right({ url }, who = "user_1") {
      const { valid } = await verify(url, who).catch(swallow);
      check(valid, "a valid key");
    },
    cases: `verifyKey\\(old,WHO\\).${any}`,
    verdict: "no-answer",
  },
  "treats every answer as a yes": {
    wrong: ({ url }, who = "user_1") => verify(url, who),
    async right({ url }, who = "user_1") {
      check((await retry(() => verify(url, who))).valid, "a valid key");
    },
    cases: "verifyKey\\(old,WHO\\).[A-Z_]+",
    verdict: "unnoticed",
  },
  "applies no limit while the service fails": {
    async wrong({ url }, who = "user_1") {
      const { success } = await call(url, "ratelimit.limit", use(who)).catch(() => ({
        success: true,
      }));
      check(success, "a use within the limit");
    },
    async right({ url }, who = "user_1") {
      const { success } = await call(url, "ratelimit.limit", use(who)).catch(swallow);
      check(success, "a use within the limit");
    },
    cases: `limit\\(mail,WHO\\).${any}`,
    verdict: "no-answer",
  },
  "treats every answer of several limits as a yes": {
    wrong: ({ url }, who = "user_1") => call(url, "ratelimit.multiLimit", [use(who)]),
    async right({ url }, who = "user_1") {
      check((await call(url, "ratelimit.multiLimit", [use(who)])).passed, "uses within limits");
    },
    cases: "multiLimit\\(mail,WHO\\).RATE_LIMITED",
    verdict: "unnoticed",
  },
  "does not notice that a key was not deleted": {
    async wrong({ url }, who = "user_1") {
      const keyId = await idOf(url, who);
      await call(url, "keys.deleteKey", { keyId }).catch(swallow);
    },
    right: ({ url }, who = "user_1") => cleanUp(url, who),
    cases: `deleteKey\\(old,WHO\\).${failed}`,
    verdict: "passes-but",
  },
  "treats a failed list as an empty one": {
    async wrong({ url }, who = "user_1") {
      const keys = await call(url, "apis.listKeys", owned(who)).catch(() => []);
      for (const { keyId } of keys) await call(url, "keys.deleteKey", { keyId });
    },
    right: ({ url }, who = "user_1") => cleanUp(url, who),
    cases: `listKeys\\(WHO\\).${any}`,
    verdict: "passes-but",
  },
  "deletes the old key before it creates the new one": {
    async wrong({ url }, who = "user_1") {
      await call(url, "keys.deleteKey", { keyId: await idOf(url, who) });
      await ensureKey(url, who, "new");
    },
    async right({ url }, who = "user_1") {
      await ensureKey(url, who, "new");
      await cleanUp(url, who, "old");
    },
    cases: `(?:(?:createKey\\(new,WHO\\)|listKeys\\(WHO\\).\\d).500|deleteKey\\(old,WHO\\).${lost})`,
    verdict: "lost",
  },
  "disables the old key before it creates the new one": {
    async wrong({ url }, who = "user_1") {
      const update = { keyId: await idOf(url, who), enabled: false };
      await retry(() => call(url, "keys.updateKey", update));
      await ensureKey(url, who, "new");
    },
    async right({ url }, who = "user_1") {
      const update = { keyId: await idOf(url, who), enabled: false };
      await ensureKey(url, who, "new");
      await retry(() => call(url, "keys.updateKey", update));
    },
    cases: "(?:createKey\\(new,WHO\\)|listKeys\\(WHO\\).\\d).500",
    verdict: "lost",
  },
  "deletes a key because it is over its limit": {
    async wrong({ url }, who = "user_1") {
      const { code, keyId, valid } = await verify(url, who);
      if (code === "RATE_LIMITED") await call(url, "keys.deleteKey", { keyId });
      check(valid, "a valid key");
    },
    async right({ url }, who = "user_1") {
      check((await verify(url, who)).valid, "a valid key");
    },
    cases: "verifyKey\\(old,WHO\\).RATE_LIMITED",
    verdict: "lost",
  },
  "does not notice that the meta of a key was not set": {
    async wrong({ url }, who = "user_1") {
      const update = { keyId: await idOf(url, who), meta: { plan: "pro" } };
      await call(url, "keys.updateKey", update).catch(swallow);
    },
    async right({ url }, who = "user_1") {
      const update = { keyId: await idOf(url, who), meta: { plan: "pro" } };
      await retry(() => call(url, "keys.updateKey", update));
    },
    cases: `updateKey\\(old,WHO\\).${failed}`,
    verdict: "passes-but",
  },
  "does not notice that the expiry of a key was not set": {
    async wrong({ url }, who = "user_1") {
      const update = { keyId: await idOf(url, who), expires: Date.now() + 86_400_000 };
      await call(url, "keys.updateKey", update).catch(swallow);
    },
    async right({ url }, who = "user_1") {
      const update = { keyId: await idOf(url, who), expires: Date.now() + 86_400_000 };
      await retry(() => call(url, "keys.updateKey", update));
    },
    cases: `updateKey\\(old,WHO\\).${failed}`,
    verdict: "passes-but",
  },
  "does not notice that the meta of an identity was not set": {
    async wrong({ url }, identity = "user_1") {
      const update = { identity, meta: { plan: "pro" } };
      await call(url, "identities.updateIdentity", update).catch(swallow);
    },
    async right({ url }, identity = "user_1") {
      const update = { identity, meta: { plan: "pro" } };
      await retry(() => call(url, "identities.updateIdentity", update));
    },
    cases: `updateIdentity\\(WHO\\).${failed}`,
    verdict: "passes-but",
  },
  "retries a verification, and so takes credits twice": {
    async wrong({ url }, who = "user_1") {
      const question = { key: `${valueOf(who)}_paid`, credits: { cost: 3 } };
      check((await retry(() => call(url, "keys.verifyKey", question))).valid, "a valid key");
    },
    async right({ url }, who = "user_1") {
      const question = { key: `${valueOf(who)}_paid`, credits: { cost: 3 } };
      check((await call(url, "keys.verifyKey", question)).valid, "a valid key");
    },
    cases: `verifyKey\\(paid,WHO\\).${lost}`,
    verdict: "charged-twice",
  },
  "leaves half a tenant": {
    async wrong({ url }, who = "user_9") {
      await ensureIdentity(url, `tenant_of_${who}`);
      await createOrRemove(url, who);
    },
    async right({ url }, who = "user_9") {
      const identity = `tenant_of_${who}`;
      await ensureIdentity(url, identity);
      await createOrRemove(url, who).catch(async (error) => {
        await retry(() => call(url, "identities.deleteIdentity", { identity }).catch(unlessGone));
        throw error;
      });
    },
    cases: "createKey\\(main,WHO\\).(?:500|429|lost-before|lost-after|hang|truncated)",
    verdict: "half-done",
    atomic: true,
  },
  "does not notice that a permission was not granted": {
    async wrong({ url }, who = "user_1") {
      const grant = { keyId: await idOf(url, who), permissions: ["docs.read"] };
      await call(url, "keys.addPermissions", grant).catch(swallow);
    },
    // The service creates the permission as a side effect, and it stays when the grant is undone.
    async right({ url }, who = "user_1") {
      const grant = { keyId: await idOf(url, who), permissions: ["docs.read"] };
      await call(url, "keys.addPermissions", grant).catch(async (error) => {
        await retry(() => call(url, "keys.removePermissions", grant).catch(unlessGone));
        throw error;
      });
    },
    cases: `addPermissions\\(old,WHO,docs.read\\).${failed}`,
    verdict: "passes-but",
  },
  "does not notice that a role was not removed": {
    async wrong({ url }, who = "user_1") {
      const change = { keyId: await idOf(url, who), roles: ["editor"] };
      await call(url, "keys.removeRoles", change).catch(swallow);
    },
    async right({ url }, who = "user_1") {
      const change = { keyId: await idOf(url, who), roles: ["editor"] };
      await retry(() => call(url, "keys.removeRoles", change));
    },
    cases: `removeRoles\\(old,WHO,editor\\).${failed}`,
    verdict: "passes-but",
  },
  "retries a reroll blindly": {
    async wrong({ url }, who = "user_1") {
      const roll = { keyId: await idOf(url, who), expiration: 3_600_000 };
      await retry(() => call(url, "keys.rerollKey", roll));
    },
    async right({ url }, who = "user_1") {
      await ensureKey(url, who, "old");
    },
    cases: `rerollKey\\(old,WHO\\).${lost}`,
    verdict: "passes-but",
  },
  "retries an increment of credits blindly": {
    async wrong({ url }, who = "user_1") {
      const more = { keyId: await idOf(url, who, "paid"), operation: "increment", value: 5 };
      await retry(() => call(url, "keys.updateCredits", more));
    },
    async right({ url }, who = "user_1") {
      const more = { keyId: await idOf(url, who, "paid"), operation: "set", value: 15 };
      await retry(() => call(url, "keys.updateCredits", more));
    },
    cases: `updateCredits\\(paid,WHO\\).${lost}`,
    verdict: "passes-but",
  },
  "retries the creation of an API blindly": {
    async wrong({ url }, name = "user_9") {
      await retry(() => call(url, "apis.createApi", { name }));
    },
    right: ({ url }, who = "user_9") => ensureIdentity(url, `tenant_of_${who}`),
    cases: `createApi\\(WHO\\).${lost}`,
    verdict: "passes-but",
  },
  "disables the owner's key when a limit fails": {
    async wrong({ url }, who = "user_1") {
      const keyId = await idOf(url, who);
      const { success } = await call(url, "ratelimit.limit", use(who)).catch(swallow);
      if (!success) await call(url, "keys.updateKey", { keyId, enabled: false });
      check(success, "a use within the limit");
    },
    async right({ url }, who = "user_1") {
      await idOf(url, who);
      check((await call(url, "ratelimit.limit", use(who))).success, "a use within the limit");
    },
    cases: `limit\\(mail,WHO\\).(?:RATE_LIMITED|${any})`,
    verdict: "lost",
  },
};

/** More correct programs. */
export const right: Record<string, Program> = {
  "reads page by page": async ({ url }) => {
    check((await listAll(url, { limit: 1 })).length === 5, "5 keys");
  },
  "verifies a batch": async ({ url }) => {
    const all = await Promise.all([...owners, ...owners].map((who) => verify(url, who)));
    check(
      all.every(({ valid }) => valid),
      "valid keys",
    );
  },
  "creates keys of two owners in parallel": async ({ url }) => {
    await Promise.all(["user_7", "user_8"].map((owner) => ensureKey(url, owner)));
  },
  "expects a refusal, for any reason": async ({ url }) => {
    const { valid } = await call(url, "keys.verifyKey", { key: "unknown" }).catch(swallow);
    check(valid === false, "a refusal");
  },
  "refuses without an answer, and expects a refusal": async ({ url }) => {
    const isValid = await call(url, "keys.verifyKey", { key: "unknown" }).then(
      ({ valid }) => valid,
      () => false,
    );
    check(!isValid, "a refusal");
  },
  "always deletes its temporary key": async ({ url }) => {
    try {
      const { key } = await call(url, "keys.createKey", main);
      check((await call(url, "keys.verifyKey", { key })).valid, "a valid key");
    } finally {
      await cleanUp(url, "user_9");
    }
  },
  "names its key after the time, and fails": async ({ url }) => {
    const name = `backup ${performance.now()}`;
    await call(url, "keys.createKey", { ...main, name }).catch(async (error) => {
      await cleanUp(url, "user_9");
      throw error;
    });
  },
  "gives a key another owner": async ({ url }) => {
    const update = { keyId: await idOf(url, "user_1"), externalId: "user_5" };
    await retry(() => call(url, "keys.updateKey", update));
  },
};

// Programs read answers of every shape.
/* oxlint-disable typescript/no-explicit-any */
import type { Fixture } from "../../src/index.ts";
import type { SweepWorld } from "../../src/sweep.ts";

export type Program = (world: SweepWorld) => Promise<unknown>;

/** How long a call of these programs waits for its answer, in milliseconds. */
const TIME_OUT = 300;

/** An answer that is no success. */
class Refused extends Error {
  readonly status: number;
  readonly retryAfter: number;

  constructor({ headers, status }: Response) {
    super(`status ${status}`);
    this.status = status;
    this.retryAfter = Number(headers.get("retry-after") ?? 0);
  }
}

/** Calls an operation, and resolves to the body. Rejects if the answer is no success, or none. */
async function post(url: string, operation: string, input: object): Promise<any> {
  const response = await fetch(`${url}/v2/${operation}`, {
    method: "POST",
    headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
    body: JSON.stringify(input),
    signal: AbortSignal.timeout(TIME_OUT),
  });
  if (!response.ok) throw new Refused(response);
  return response.json();
}

async function call(url: string, operation: string, input: object): Promise<any> {
  return (await post(url, operation, input)).data;
}

/** Calls up to three times, and waits as long as the service asks for. */
async function repeat<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let left = 2; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
      const { retryAfter = 0 } = error as Partial<Refused>;
      await new Promise((resolve) => setTimeout(resolve, 1_000 * retryAfter));
    }
  }
}

function check(isTrue: unknown, expected: string): void {
  if (!isTrue) throw new Error(`expected ${expected}`);
}

export const main = { apiId: "api_shop", name: "main", externalId: "user_9" };
const window = { limit: 5, duration: 60_000 };
const use = { namespace: "mail", identifier: "user_9", ...window };

export const shop: Fixture = {
  apis: [{ id: "api_shop" }],
  keys: [
    { apiId: "api_shop", name: "old", externalId: "user_1", key: "shop_secret_1" },
    { apiId: "api_shop", name: "paid", key: "shop_secret_2", credits: { remaining: 9 } },
    { apiId: "api_shop", name: "third" },
  ],
};

const listAll = async (url: string, query: object = {}): Promise<any[]> => {
  const keys = [];
  for (let cursor: string | undefined; ;) {
    const input = { apiId: "api_shop", limit: 100, ...query, ...(cursor && { cursor }) };
    const response = await repeat(() => post(url, "apis.listKeys", input));
    keys.push(...response.data);
    if (!response.pagination.hasMore) return keys;
    ({ cursor } = response.pagination);
  }
};

/** Makes the key of an owner, or gives the key that is there a new value. */
async function ensureKey(url: string, externalId: string): Promise<string> {
  const look = async () => (await listAll(url, { externalId }))[0];
  const reroll = async (keyId: string) =>
    (await call(url, "keys.rerollKey", { keyId, expiration: 0 })).key;
  return repeat(async () => {
    const known = await look();
    if (known !== undefined) return reroll(known.keyId);
    return (await call(url, "keys.createKey", { ...main, externalId })).key;
  });
}

/** Deletes the keys of an owner. A key that is gone is no failure. */
async function cleanUp(url: string, externalId: string): Promise<void> {
  await repeat(async () => {
    for (const { keyId } of await listAll(url, { externalId })) {
      await call(url, "keys.deleteKey", { keyId }).catch((error) => {
        if (error.status !== 404) throw error;
      });
    }
  });
}

/** Programs in which a sweep must find nothing. */
export const right: Record<string, Program> = {
  "reads page by page": async ({ url }) => {
    check((await listAll(url, { limit: 1 })).length === 3, "3 keys");
  },
  "looks before it creates, and rerolls what it finds": async ({ url }) => {
    check(await ensureKey(url, "user_9"), "a key");
  },
  "asks again after a while": async ({ url }) => {
    const { valid } = await repeat(() => call(url, "keys.verifyKey", { key: "shop_secret_1" }));
    check(valid, "a valid key");
  },
  "asks again, and so takes credits twice": async ({ url }) => {
    const { valid } = await repeat(() => call(url, "keys.verifyKey", { key: "shop_secret_2" }));
    check(valid, "a valid key");
  },
  "cleans up as often as it takes": async ({ url }) => {
    await cleanUp(url, "user_1");
  },
  "verifies a batch": async ({ url }) => {
    const keys = ["shop_secret_1", "shop_secret_2", "shop_secret_1"];
    const all = await Promise.all(keys.map((key) => call(url, "keys.verifyKey", { key })));
    check(
      all.every(({ valid }) => valid),
      "valid keys",
    );
  },
  "makes keys of two owners at once": async ({ url }) => {
    await Promise.all(["user_7", "user_8"].map((owner) => ensureKey(url, owner)));
  },
  "shuts the gate while the service fails": async ({ url }) => {
    const status = await call(url, "keys.verifyKey", { key: "shop_secret_1" }).then(
      ({ valid }) => (valid ? 200 : 401),
      () => 503,
    );
    check(status === 200, "200");
  },
  "refuses a use while the limit has no answer": async ({ url }) => {
    const { success } = await call(url, "ratelimit.limit", use).catch(() => ({ success: false }));
    check(success, "a use within the limit");
  },
  "counts several uses, and takes no for an answer": async ({ url }) => {
    const uses = [use, { ...use, identifier: "all" }] as unknown as object;
    check((await call(url, "ratelimit.multiLimit", uses)).passed, "uses within their limits");
  },
  "expects a refusal, and gets it whatever the reason": async ({ url }) => {
    const { valid } = await call(url, "keys.verifyKey", { key: "unknown" }).catch(() => ({}));
    check(valid === false, "a refusal");
  },
  "sets what it wants, again if need be": async ({ url }) => {
    const { keyId } = (await listAll(url, { externalId: "user_1" }))[0];
    await repeat(() => call(url, "keys.updateKey", { keyId, name: "new" }));
  },
  "removes its temporary key in any case": async ({ url }) => {
    try {
      const { key } = await call(url, "keys.createKey", main);
      check((await call(url, "keys.verifyKey", { key })).valid, "a valid key");
    } finally {
      await cleanUp(url, "user_9");
    }
  },
  "takes a permission that exists already": async ({ url }) => {
    const permission = { name: "docs.read", slug: "docs.read" };
    await repeat(() =>
      call(url, "permissions.createPermission", permission).catch((error) => {
        if (error.status !== 409) throw error;
      }),
    );
  },
  "names its key after the time, and fails": async ({ url }) => {
    const name = `backup ${performance.now()}`;
    await call(url, "keys.createKey", { ...main, name }).catch(async (error) => {
      await cleanUp(url, "user_9");
      throw error;
    });
  },
};

/** Programs with one mistake each. */
export const wrong = {
  /** Sends a create again, blindly. */
  async blind({ url }) {
    const create = () => call(url, "keys.createKey", main);
    await create().catch(create);
  },
  /** Lets everybody in while the service fails. */
  async openGate({ url }) {
    const { valid } = await call(url, "keys.verifyKey", { key: "shop_secret_1" }).catch(() => ({
      valid: true,
    }));
    check(valid, "a valid key");
  },
  /** Takes every answer for a yes. */
  async deafGate({ url }) {
    await call(url, "keys.verifyKey", { key: "shop_secret_1" });
  },
  /** Does not notice that a key was not deleted. */
  async swallowed({ url }) {
    const [{ keyId }] = await listAll(url, { externalId: "user_1" });
    await call(url, "keys.deleteKey", { keyId }).catch(() => {});
  },
  /** Limits nobody while the service fails, and takes no for a yes. */
  async unlimited({ url }) {
    await call(url, "ratelimit.limit", use).catch(() => {});
  },
  /** Leaves a key behind when it fails. */
  async careless({ url }) {
    await call(url, "keys.createKey", main);
  },
  /** Gives its call no time-out. */
  async patient({ url }) {
    const response = await fetch(`${url}/v2/apis.getApi`, {
      method: "POST",
      headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
      body: JSON.stringify({ apiId: "api_shop" }),
    });
    check(response.ok, "an answer");
  },
} satisfies Record<string, Program>;

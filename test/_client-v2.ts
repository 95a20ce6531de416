import { describe, expect, test } from "vitest";
import type {
  KeyCreditsData,
  KeyCreditsRefill,
  KeyResponseData,
  Pagination,
  RatelimitRequest,
  V2ApisListKeysRequestBody,
  V2KeysCreateKeyRequestBody,
  V2KeysCreateKeyResponseBody,
} from "unkey-api-2/models/components";
import type { UnkeyError } from "unkey-api-2/models/errors";
import type { EmulatorOptions, FaultInit, Fixture } from "../src/index.ts";
import { NOW } from "./_emulator.ts";
import { overHttp, type Reached } from "./_reach.ts";

/** The part of all public clients 2.x that tests use; their types differ. */
interface Client {
  readonly keys: { createKey(request: CreateRequest): Promise<V2KeysCreateKeyResponseBody> };
  readonly apis: { listKeys(request: ListRequest): Promise<Page | PageIterator> };
}

type CreateRequest = Omit<V2KeysCreateKeyRequestBody, "credits"> & { credits?: Credits };
type Credits = Omit<KeyCreditsData, "refill"> & { refill?: Refill };
type Refill = Omit<KeyCreditsRefill, "interval"> & { interval: "daily" | "monthly" };
type ListRequest = V2ApisListKeysRequestBody;

interface Page {
  readonly meta: { readonly requestId: string };
  readonly data: readonly Pick<KeyResponseData, "keyId" | "name" | "plaintext" | "start">[];
  // Optional in the types of some versions, and always sent.
  readonly pagination?: Pagination | undefined;
}

/** The result of `listKeys` from 2.3.5 on. */
interface PageIterator {
  readonly result: Page;
  readonly [Symbol.asyncIterator]: () => AsyncIterableIterator<{ readonly result: Page }>;
}

/** The options of a client that tests set. */
interface ClientOptions {
  readonly rootKey: string;
  readonly serverURL: string;
  readonly retryConfig:
    | { strategy: "none" }
    | { strategy: "backoff"; backoff: Backoff; retryConnectionErrors: boolean };
}

interface Backoff {
  initialInterval: number;
  maxInterval: number;
  exponent: number;
  maxElapsedTime: number;
}

/** A published version of the client. */
export interface ClientVersion {
  readonly version: string;
  readonly Unkey: new (options: ClientOptions) => Client;
  /** Its module of error classes. */
  readonly errors: object;
  /** Whether `listKeys` returns one page or an iterator over all pages. */
  readonly lists: "a page" | "an iterator";
  /** The data of an identity that it returns. Default: all. */
  readonly identityMeta?: Readonly<Record<string, unknown>>;
}

/** The keys that one call lists. */
async function list(client: Client, request: ListRequest): Promise<Page> {
  const listed = await client.apis.listKeys(request);
  return "result" in listed ? listed.result : listed;
}

/** APIs and an identity of different kinds, and tokens that are refused for different reasons. */
export const fixtures: readonly Fixture[] = [
  {
    apis: [
      { id: "api_pay", defaultPrefix: "pay", storeEncryptedKeys: true },
      { id: "api_plain" },
      { id: "api_bare", keyspace: false },
    ],
    roles: [{ name: "Site admin", permissions: ["documents.read", "documents.write"] }],
    identities: [
      {
        externalId: "customer_7",
        meta: { plan: "pro" },
        ratelimits: [{ name: "emails", limit: 5, duration: 60_000, autoApply: false }],
      },
    ],
    tokens: [
      { token: "root", permissions: ["*"] },
      { token: "reader", permissions: ["api.*.read_key", "api.*.read_api"] },
      { token: "creator", permissions: ["api.*.create_key"] },
      { token: "disabled", permissions: ["*"], enabled: false },
      { token: "expired", permissions: ["*"], expires: 1_000 },
    ],
    workspaces: [
      {
        workspace: { id: "ws_off", enabled: false },
        tokens: [{ token: "off", permissions: ["*"] }],
      },
    ],
  },
];

/** A request with every field that the client has. */
export const everyField = {
  apiId: "api_pay",
  prefix: "live",
  name: "CI deploy – Größe 😀",
  byteLength: 32,
  externalId: "user_1.a-b",
  meta: { plan: "pro", seats: 3, price: 1.5, nested: { list: [1, null, "é", { deep: true }] } },
  roles: ["Site admin"],
  permissions: ["billing:read", "documents.read"],
  expires: 1_900_000_000_000,
  credits: {
    remaining: 90,
    refill: {
      interval: "monthly",
      amount: 100,
      refillDay: 3,
    } satisfies Required<KeyCreditsRefill>,
  } satisfies Required<KeyCreditsData>,
  ratelimits: [
    {
      name: "calls",
      limit: 10,
      duration: 60_000,
      autoApply: true,
    } satisfies Required<RatelimitRequest>,
    // The client sends `autoApply: false` with it.
    { name: "exports per day", limit: 2, duration: 86_400_000 },
  ],
  enabled: false,
  recoverable: true,
} as const satisfies Required<V2KeysCreateKeyRequestBody>;

/** The id of a rate limit. */
const id = expect.stringMatching(/^rl_/);

/** Requests that create different keys, and what a list returns beyond id, start and time. */
const requests: readonly (readonly [
  what: string,
  request: CreateRequest,
  start: RegExp,
  listed: Partial<KeyResponseData>,
])[] = [
  [
    "with every field",
    everyField,
    /^live_.{4}$/,
    {
      enabled: false,
      name: "CI deploy – Größe 😀",
      meta: everyField.meta,
      expires: 1_900_000_000_000,
      permissions: ["billing:read", "documents.read", "documents.write"],
      roles: ["Site admin"],
      credits: { remaining: 90, refill: { interval: "monthly", amount: 100, refillDay: 3 } },
      identity: { id: expect.stringMatching(/^id_/), externalId: "user_1.a-b" },
      ratelimits: [
        { id, name: "calls", limit: 10, duration: 60_000, autoApply: true },
        { id, name: "exports per day", limit: 2, duration: 86_400_000, autoApply: false },
      ],
    },
  ],
  ["with an API alone", { apiId: "api_pay" }, /^pay_.{4}$/, { enabled: true }],
];

/** The lengths of the lists that are walked, and the sizes of pages. */
const sizes = [0, 20, 21];
const limits = [1, 10];

/** A refusal, as the client reports it. */
interface Refusal {
  readonly token?: string;
  readonly fault?: FaultInit;
  readonly call: (client: Client) => Promise<unknown>;
  readonly problem: readonly [status: number, title: string, type: string, detail: string];
  readonly errors?: readonly object[];
}

const create =
  (request: Partial<CreateRequest> = {}) =>
  (client: Client) =>
    client.keys.createKey({ apiId: "api_pay", ...request });
const listing =
  (request: Partial<ListRequest> = {}) =>
  (client: Client) =>
    client.apis.listKeys({ apiId: "api_pay", ...request });

const INVALID = "POST request body for '/v2/keys.createKey' failed to validate schema";
const UNKNOWN_TOKEN = "The provided root key is invalid. We could not find the requested key.";
const LACKING =
  "Missing one of these permissions: unkey:v1:ws_local:projects/*/keyspaces/*/keys/*#decrypt or api.*.decrypt_key or api.api_pay.decrypt_key";

/** By the class of the error. Other refusals get `APIError`. */
const refusals: readonly (readonly [name: string, when: string, refusal: Refusal])[] = [
  [
    "BadRequestErrorResponse",
    "a created key breaks bounds",
    {
      call: create({ byteLength: 15, name: "" }),
      problem: [400, "Bad Request", "unkey/application/invalid_input", INVALID],
      errors: expect.arrayContaining([
        { location: "/properties/byteLength/minimum", message: "minimum: got 15, want 16" },
        { location: "/properties/name/minLength", message: "minLength: got 0, want 1" },
      ]),
    },
  ],
  [
    "UnauthorizedErrorResponse",
    "the token is unknown",
    {
      token: "nobody",
      call: create(),
      problem: [401, "Unauthorized", "unkey/authentication/key_not_found", UNKNOWN_TOKEN],
    },
  ],
  [
    "ForbiddenErrorResponse",
    "the token may list and not decrypt",
    {
      token: "reader",
      call: listing({ decrypt: true }),
      problem: [
        403,
        "Insufficient Permissions",
        "unkey/authorization/insufficient_permissions",
        LACKING,
      ],
    },
  ],
  [
    "NotFoundErrorResponse",
    "the API is unknown",
    {
      call: create({ apiId: "api_none" }),
      problem: [404, "Not Found", "unkey/data/api_not_found", "The specified API was not found."],
    },
  ],
  [
    "InternalServerErrorResponse",
    "a fault fails the call",
    {
      fault: { operation: "keys.createKey", status: 500 },
      call: create(),
      problem: [
        500,
        "Internal Server Error",
        "unkey/application/unexpected_error",
        "an injected fault",
      ],
    },
  ],
  [
    "APIError",
    "a key is to be recoverable, and the API stores no values",
    {
      call: create({ apiId: "api_plain", recoverable: true }),
      problem: [
        412,
        "Precondition Failed",
        "unkey/application/precondition_failed",
        "This API does not support key encryption.",
      ],
    },
  ],
  [
    "APIError",
    "the body is over 10 MiB",
    {
      call: create({ meta: { text: "x".repeat(10_485_760) } }),
      problem: [
        413,
        "Request Entity Too Large",
        "user/bad_request/request_body_too_large",
        "The request body is larger than 10485760 bytes.",
      ],
      errors: [],
    },
  ],
  [
    "APIError",
    "a fault limits the rate",
    {
      fault: { operation: "apis.listKeys", status: 429 },
      call: listing(),
      problem: [
        429,
        "Too Many Requests",
        "user/too_many_requests/workspace_rate_limited",
        "an injected fault",
      ],
    },
  ],
];

/** The client's default retries, without its waits of up to a second. */
const quickRetries = {
  strategy: "backoff",
  backoff: { initialInterval: 1, maxInterval: 1, exponent: 1.5, maxElapsedTime: 60_000 },
  retryConnectionErrors: true,
} as const satisfies ClientOptions["retryConfig"];

/** Tests that hold for every version of the client. */
export function describeClient({
  errors,
  identityMeta = { plan: "pro" },
  lists,
  Unkey,
  version,
}: ClientVersion): void {
  const connect = (
    { url: serverURL }: Pick<Reached, "url">,
    { rootKey = "root", retryConfig = { strategy: "none" } }: Partial<ClientOptions> = {},
  ) => new Unkey({ rootKey, serverURL, retryConfig });

  describe(`client ${version}`, () => {
    test.each(requests)(
      "the public client creates and lists a key %s",
      async (_what, request, start, listed) => {
        const reached = await overHttp({ fixtures, strict: true });
        const unkey = connect(reached);

        const { data: created, meta } = await unkey.keys.createKey(request);
        const page = await list(unkey, { apiId: "api_pay" });

        expect(meta.requestId).toMatch(/^req_/);
        expect(created.keyId).toMatch(/^key_/);
        expect(page).toEqual({
          meta: { requestId: expect.stringMatching(/^req_/) },
          data: [
            {
              keyId: created.keyId,
              start: expect.stringMatching(start),
              createdAt: NOW,
              ...listed,
            },
          ],
          pagination: { hasMore: false },
        });
        expect(created.key.startsWith(page.data[0]?.start ?? "?")).toBe(true);
      },
    );

    test("the public client lists the data and the rate limits of a key's identity", async () => {
      const unkey = connect(await overHttp({ fixtures, strict: true }));
      await unkey.keys.createKey({ apiId: "api_pay", externalId: "customer_7" });

      const { data } = await list(unkey, { apiId: "api_pay" });

      expect(data).toHaveLength(1);
      expect(data[0]).toHaveProperty("identity", {
        id: expect.stringMatching(/^id_/),
        externalId: "customer_7",
        meta: identityMeta,
        ratelimits: [{ id, name: "emails", limit: 5, duration: 60_000, autoApply: false }],
      });
    });

    test("the public client lists the keys of one external id, and none for an unknown one", async () => {
      const unkey = connect(await overHttp({ fixtures, strict: true }));
      const mine: string[] = [];
      for (const externalId of ["me", "you", "me", "Me", undefined]) {
        const { data } = await unkey.keys.createKey({
          apiId: "api_pay",
          ...(externalId === undefined ? {} : { externalId }),
        });
        if (externalId === "me") mine.push(data.keyId);
      }

      const first = await list(unkey, { apiId: "api_pay", externalId: "me", limit: 1 });
      const { cursor = "" } = first.pagination ?? {};
      const second = await list(unkey, { apiId: "api_pay", externalId: "me", limit: 1, cursor });
      const unknown = await list(unkey, { apiId: "api_pay", externalId: "nobody" });

      expect(first.pagination).toEqual({ hasMore: true, cursor: mine[1] });
      expect(second.pagination).toEqual({ hasMore: false });
      expect([...first.data, ...second.data].map(({ keyId }) => keyId)).toEqual(mine);
      expect(unknown).toMatchObject({ data: [], pagination: { hasMore: false } });
    });

    test("the public client decrypts the values of recoverable keys, and of no others", async () => {
      const unkey = connect(await overHttp({ fixtures, strict: true }));
      const request = { apiId: "api_pay", name: "kept", recoverable: true };
      const { data: kept } = await unkey.keys.createKey(request);
      await unkey.keys.createKey({ apiId: "api_pay", name: "lost" });

      const plain = await list(unkey, { apiId: "api_pay" });
      const decrypted = await list(unkey, {
        apiId: "api_pay",
        decrypt: true,
        revalidateKeysCache: true,
      });

      expect(plain.data.map(({ plaintext }) => plaintext)).toEqual([undefined, undefined]);
      expect(decrypted.data.map(({ name, plaintext }) => [name, plaintext])).toEqual([
        ["kept", kept.key],
        ["lost", undefined],
      ]);
    });

    test(`listKeys of the public client returns ${lists}`, async () => {
      const listed = await connect(await overHttp({ fixtures })).apis.listKeys({
        apiId: "api_pay",
      });

      expect("result" in listed).toBe(lists === "an iterator");
    });

    test("the public client lists all keys page by page with the cursor", async () => {
      const { ids, reached } = await givenLists();
      const unkey = connect(reached);

      for (const size of sizes) {
        for (const limit of limits) {
          const pages = await walk(unkey, { apiId: `api_${size}`, limit });

          expectWalked(pages, { ids: ids(size), limit });
        }
      }
    });

    if (lists === "an iterator") {
      test("listKeys of the public client goes on over all pages", async () => {
        const { ids, reached } = await givenLists();
        const unkey = connect(reached);

        for (const size of sizes) {
          for (const limit of limits) {
            const pages: Page[] = [];
            const listed = await unkey.apis.listKeys({ apiId: `api_${size}`, limit });
            for await (const { result } of listed as PageIterator) {
              pages.push(result);
              // The iterator goes on for as long as pages have cursors.
              if (pages.length > size + 1) break;
            }

            expectWalked(pages, { ids: ids(size), limit });
          }
        }
      });
    }

    test.each(refusals)("the public client throws %s when %s", async (name, _when, refusal) => {
      const { call, errors: violations, fault, problem, token = "root" } = refusal;
      const [status, title, type, detail] = problem;
      const reached = await overHttp({ fixtures, strict: true });
      if (fault !== undefined) reached.emulator.faults.add({ ...fault, times: 1 });
      const count = reached.emulator.keys.count();

      const error = await rejectionOf(call(connect(reached, { rootKey: token })));

      const { [name as keyof typeof errors]: ErrorClass } = errors;
      expect(error).toBeInstanceOf(ErrorClass);
      const { body, message, statusCode } = error as UnkeyError;
      const envelope = {
        meta: { requestId: expect.stringMatching(/^req_/) },
        error: {
          status,
          title,
          detail,
          type: `https://unkey.com/docs/errors/${type}`,
          ...(violations && { errors: violations }),
        },
      };
      expect(statusCode).toBe(status);
      expect(JSON.parse(body)).toEqual(envelope);
      expect(message).toContain(detail);
      // The generic error has no members for the parts of the body.
      if (name !== "APIError") expect(error).toMatchObject(envelope);
      expect(reached.emulator.keys.count()).toBe(count);
    });

    test.each<readonly [string, number, FaultInit]>([
      ["fails with 500 twice before the operation", 1, { status: 500, times: 2 }],
      ["fails with 500 twice after the operation", 3, { status: 500, when: "after", times: 2 }],
      ["gets no reply twice after the operation", 3, { effect: "drop", when: "after", times: 2 }],
    ])(
      "the public client retries a create that %s, which leaves keys: %i",
      async (_what, count, fault) => {
        const { emulator, url } = await overHttp({ fixtures, strict: true });
        emulator.faults.add({ operation: "keys.createKey", ...fault });
        const unkey = connect({ url }, { retryConfig: quickRetries });

        const { data: created } = await unkey.keys.createKey({ apiId: "api_pay", name: "CI" });
        const { data: keys } = await list(unkey, { apiId: "api_pay" });

        expect(keys.map(({ name }) => name)).toEqual(Array.from({ length: count }, () => "CI"));
        expect(keys.at(-1)?.keyId).toBe(created.keyId);
        expect(emulator.requests.count({ operation: "keys.createKey" })).toBe(3);
        expect(emulator.faults.pending()).toEqual([]);
      },
    );

    test("the public client does not retry a create that is refused with 429", async () => {
      const { emulator, url } = await overHttp({ fixtures, strict: true });
      emulator.faults.add({ operation: "keys.createKey", status: 429 });
      const unkey = connect({ url }, { retryConfig: quickRetries });

      const error = await rejectionOf(unkey.keys.createKey({ apiId: "api_pay" }));

      expect(error).toMatchObject({ name: "APIError", statusCode: 429 });
      expect(emulator.requests.count()).toBe(1);
    });
  });
}

/** An emulator with a list of each size, and the ids of the keys in a list. */
async function givenLists() {
  const options: EmulatorOptions = {
    fixtures: [
      {
        apis: sizes.map((size) => ({ id: `api_${size}` })),
        generate: sizes.map((size) => ({ apiId: `api_${size}`, count: size })),
      },
    ],
    strict: true,
  };
  const reached = await overHttp(options);
  const ids = (size: number) =>
    reached.emulator.keys.findMany({ apiId: `api_${size}` }).map(({ id }) => id);
  return { ids, reached };
}

/** All pages, with the cursor of each sent for the next. */
async function walk(client: Client, request: ListRequest): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | undefined, hasMore = true; hasMore;) {
    const page = await list(client, { ...request, ...(cursor === undefined ? {} : { cursor }) });
    pages.push(page);
    ({ cursor, hasMore } = page.pagination ?? { hasMore: false });
    if (page.data.length === 0) break;
  }
  return pages;
}

/** Each key once, in pages that are full except for the last, and the id of the next key as cursor. */
function expectWalked(
  pages: readonly Page[],
  { ids, limit }: { readonly ids: readonly string[]; readonly limit: number },
): void {
  const walked = pages.flatMap(({ data }) => data.map(({ keyId }) => keyId));
  expect(walked).toEqual(ids.toSorted());
  expect(pages).toHaveLength(Math.max(1, Math.ceil(ids.length / limit)));
  expect(pages.map(({ pagination }) => pagination)).toEqual(
    pages.map((_, index) => {
      const cursor = walked[(index + 1) * limit];
      return cursor === undefined ? { hasMore: false } : { hasMore: true, cursor };
    }),
  );
}

async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable("the call did not fail"),
    (reason: unknown) => reason,
  );
}

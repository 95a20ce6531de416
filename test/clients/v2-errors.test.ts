import { expect, test } from "vitest";
import { Unkey } from "unkey-api-2";
import * as errors from "unkey-api-2/models/errors";
import type { UnkeyError } from "unkey-api-2/models/errors";
import { overHttp } from "../_reach.ts";

const fixtures = [
  {
    apis: [{ id: "api_pay" }],
    tokens: [
      { token: "root", permissions: ["*"] },
      { token: "guest", permissions: ["api.*.read_api"] },
      { token: "limiter", permissions: ["ratelimit.*.limit"] },
    ],
    identities: [{ externalId: "user_1" }],
    permissions: ["documents.read"],
    roles: [{ name: "editor" }],
    ratelimitNamespaces: [{ name: "mail" }, { name: "gone", deleted: true }],
  },
];

type Call = (client: Unkey) => Promise<unknown>;
type Row = readonly [name: string, when: string, type: string, call: Call, token: string];

const limit = { namespace: "mail", identifier: "user_1", limit: 1, duration: 1_000 };
const ratelimits = [{ name: "calls", limit: 1, duration: 1_000 }];

const refusals: readonly Row[] = [
  [
    "ConflictErrorResponse",
    "an identity with the same external id exists",
    "data/identity_already_exists",
    ({ identities }) => identities.createIdentity({ externalId: "user_1" }),
    "root",
  ],
  [
    // The client does not expect a 404 from this operation.
    "APIError",
    "the role to delete does not exist",
    "data/role_not_found",
    ({ permissions }) => permissions.deleteRole({ role: "none" }),
    "root",
  ],
  [
    "NotFoundErrorResponse",
    "the namespace of an override does not exist",
    "data/ratelimit_namespace_not_found",
    ({ ratelimit }) => ratelimit.setOverride({ ...limit, namespace: "none" }),
    "root",
  ],
  [
    "BadRequestErrorResponse",
    "two rate limits of an identity have the same name",
    "application/invalid_input",
    ({ identities }) =>
      identities.updateIdentity({
        identity: "user_1",
        ratelimits: [...ratelimits, ...ratelimits],
      }),
    "root",
  ],
  [
    "GoneErrorResponse",
    "the namespace of a limit was deleted",
    "data/ratelimit_namespace_gone",
    ({ ratelimit }) => ratelimit.limit({ ...limit, namespace: "gone" }),
    "root",
  ],
  [
    "GoneErrorResponse",
    "the namespace of one of several limits was deleted",
    "data/ratelimit_namespace_gone",
    ({ ratelimit }) => ratelimit.multiLimit([limit, { ...limit, namespace: "gone" }]),
    "root",
  ],
  [
    "ForbiddenErrorResponse",
    "the token may not make a namespace",
    "authorization/insufficient_permissions",
    ({ ratelimit }) => ratelimit.limit({ ...limit, namespace: "new" }),
    "limiter",
  ],
];

test.each(refusals)(
  "the public client 2.5.1 throws %s when %s",
  async (name, _when, type, call, rootKey) => {
    const { url } = await overHttp({ fixtures });
    const client = new Unkey({ rootKey, serverURL: url, retryConfig: { strategy: "none" } });

    const error: unknown = await call(client).catch((reason: unknown) => reason);

    const { [name as keyof typeof errors]: ErrorClass } = errors;
    expect(error).toBeInstanceOf(ErrorClass);
    expect(JSON.parse((error as UnkeyError).body)).toMatchObject({
      error: { type: `https://unkey.com/docs/errors/unkey/${type}` },
      meta: { requestId: expect.stringMatching(/^req_/) },
    });
  },
);

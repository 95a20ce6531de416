import type { Emulator, Fixture } from "../../src/index.ts";
import { givenEmulator, post, type Answer, type CallOptions } from "../_emulator.ts";
import { acceptingAll, type Refusal } from "../_v2.ts";

// A world with roles and permissions, and calls of the operations on them.

/** Each list is the permissions of a token: `limited_0`, `limited_1` and so on. */
const rolesWorld = (...limited: string[][]): Fixture[] => [
  {
    workspace: { id: "ws_test" },
    tokens: [
      { token: "any_token", permissions: ["*"] },
      ...limited.map((permissions, index) => ({ token: `limited_${index}`, permissions })),
    ],
    apis: [{ id: "api_one" }],
    permissions: [
      { id: "perm_1", name: "Docs", slug: "docs.read", description: "Opens every Page" },
      { id: "perm_2", name: "Docs", slug: "docs.write" },
      { id: "perm_3", name: "free" },
    ],
    roles: [
      {
        id: "role_1",
        name: "admin",
        description: "May do 100% of it",
        permissions: ["docs.write", "docs.read"],
      },
      { id: "role_2", name: "guest" },
    ],
    keys: [
      {
        id: "key_one",
        apiId: "api_one",
        key: "value_one",
        updatedAt: 5,
        roles: ["guest", "admin"],
        permissions: ["free", "docs.read"],
      },
      { id: "key_two", apiId: "api_one", key: "value_two", permissions: ["docs.read"] },
    ],
  },
  {
    workspace: { id: "ws_other" },
    tokens: [{ token: "other_token", permissions: ["*"] }],
    permissions: [{ id: "perm_other", name: "other.read" }],
    roles: [{ id: "role_other", name: "other" }],
  },
];

export const givenRoles = (...limited: string[][]): Promise<Emulator> =>
  givenEmulator({ fixtures: rolesWorld(...limited) });

/** Calls an operation on roles or permissions. */
export const callRoles = (
  emulator: Emulator,
  name: string,
  input: unknown,
  options?: CallOptions,
): Promise<Answer> => post(emulator, `/v2/permissions.${name}`, input, acceptingAll(options));

const forbidden = (detail: string): Refusal => ({
  status: 403,
  type: "unkey/authorization/insufficient_permissions",
  detail,
});

/** The refusal of a token that may not do this to any role or permission. */
export const missing = (action: string, place: string) =>
  forbidden(
    `Missing one of these permissions: unkey:v1:ws_test:projects/*/rbac/${place} or rbac.*.${action}`,
  );

export const unknown = {
  permission: {
    status: 404,
    type: "unkey/data/permission_not_found",
    detail: "The requested permission does not exist.",
  },
  role: {
    status: 404,
    type: "unkey/data/role_not_found",
    detail: "The requested role does not exist.",
  },
} as const satisfies Record<string, Refusal>;

export const taken = {
  permission: (slug: string, end = ""): Refusal => ({
    status: 409,
    type: "unkey/data/permission_already_exists",
    detail: `A permission with slug '${slug}' already exists in this workspace${end}`,
  }),
  role: (name: string, end = ""): Refusal => ({
    status: 409,
    type: "unkey/data/role_already_exists",
    detail: `A role with name '${name}' already exists in this workspace${end}`,
  }),
};

export const DOCS_READ = {
  description: "Opens every Page",
  id: "perm_1",
  name: "Docs",
  slug: "docs.read",
};
export const DOCS_WRITE = { id: "perm_2", name: "Docs", slug: "docs.write" };
export const FREE = { id: "perm_3", name: "free", slug: "free" };
export const ADMIN = {
  description: "May do 100% of it",
  id: "role_1",
  name: "admin",
  permissions: [DOCS_WRITE, DOCS_READ],
};
export const GUEST = { id: "role_2", name: "guest" };

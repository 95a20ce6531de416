import { expect, test } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { calls, everything } from "../_every-operation.ts";
import { givenEmulator, post, send, type CallOptions } from "../_emulator.ts";
import { acceptingAll, missingHeader, type Refusal } from "../_v2.ts";
import type { RefusalOfV1 } from "./_keys.ts";
import { expectNothingLeft, insufficient, lacking, noKey } from "./_refusals.ts";

// Which permissions each call of every operation needs, and how it is refused without them.

/** Permissions that one check demands: one of each group. */
interface Step {
  /** Groups are joined by " and ", and what is in a group by " or ". */
  readonly needs: string;
  /** The refusal of a token that lacks one group. Undefined: tested beside the operation. */
  readonly refusal?: (missing: string) => Refusal | RefusalOfV1;
  /** The hint about the missing group, if the refusal hides it. */
  readonly hint?: string;
}

const needs = (text: string): Step => ({ needs: text, refusal: () => insufficient(text) });
const also = (text: string): Step => ({ needs: text });
const hiddenBy = (refusal: Refusal, text: string): Step => ({
  needs: text,
  refusal: () => refusal,
  hint: "the token needs ",
});
const lacks = (text: string, because = ""): Step => ({
  needs: text,
  refusal: (missing) => lacking(missing + because),
});
const lacksOdd = (text: string): Step => ({
  needs: text,
  refusal: (missing) => ({ ...lacking(missing), code: "UNAUTHORIZED" }),
});

const notFound = (
  kind: "api" | "permission" | "ratelimit_override" | "role",
  detail: string,
): Refusal => ({ status: 404, type: `unkey/data/${kind}_not_found`, detail });
const noApi = notFound("api", "The requested API does not exist or has been deleted.");
const noApiForKey = notFound("api", "The specified API was not found.");
const noOverride = notFound("ratelimit_override", "This override does not exist.");
const noPermission = notFound("permission", "The requested permission does not exist.");
const noRole = notFound("role", "The requested role does not exist.");

const urn = (resource: string) => `unkey:v1:ws_local:projects/*/${resource}`;
/** Before an API is found, no text shows its keyspace. */
const onApi = (action: string, place: string, apiId = "api_first") =>
  `${urn(`keyspaces/*${place}`)} or api.*.${action} or api.${apiId}.${action}`;
const onKey = (action: string, verb: string, key = "key_one") =>
  `${urn(`keyspaces/ks_first/keys/${key}#${verb}`)} or api.*.${action} or api.api_first.${action}`;
const onRbac = (action: string, place: string) => `${urn(`rbac/${place}`)} or rbac.*.${action}`;
const onIdentity = (action: string, verb: string, id = "*") =>
  `${urn(`identities/${id}#${verb}`)} or identity.*.${action}`;
const onSms = (action: string, place: string) =>
  `${urn(`ratelimits/namespaces/rlns_sms${place}`)} or ratelimit.rlns_sms.${action} or ratelimit.*.${action}`;

const write = urn("keyspaces/ks_first/keys/key_one#write");
const createKeys = onApi("create_key", "/keys/*#write");
const create = "api.api_first.create_key or api.*.create_key";
const listed = `${onApi("read_key", "/keys/*#read")} and ${onApi("read_api", "#read")}`;
/** The URN grants the further rights too, so the message has it only once. */
const change = (...actions: string[]) =>
  needs([onKey("update_key", "write"), ...actions.map((each) => `rbac.*.${each}`)].join(" and "));
const createPermission = needs(onRbac("create_permission", "permissions/*#write"));
const setRole = `${onRbac("add_permission_to_role", "roles/role_reader#write")} and rbac.*.remove_permission_from_role`;
const createNamespace = `${urn("ratelimits/namespaces/*#write")} or ratelimit.*.create_namespace`;
const limitAny = "ratelimit.*.limit";

const ofV1 = (action: string) => `api.*.${action} or api.api_first.${action}`;
const smsOfV1 = "ratelimit.rlns_sms.limit or ratelimit.*.limit";
const listedV1 = `${ofV1("read_key")} and ${ofV1("read_api")}`;

/** The checks of each call, in the order of `calls`. */
const table: Readonly<Record<string, readonly (readonly Step[])[]>> = {
  "/v2/apis.createApi": [[needs(`${urn("keyspaces/*#write")} or api.*.create_api`)]],
  "/v2/apis.getApi": [[needs(onApi("read_api", "#read"))]],
  "/v2/apis.listKeys": [
    [hiddenBy(noApi, listed)],
    [also(listed), needs(onApi("decrypt_key", "/keys/*#decrypt"))],
  ],
  "/v2/apis.deleteApi": [[needs(onApi("delete_api", "#delete", "api_second"))]],
  "/v2/keys.createKey": [
    [hiddenBy(noApiForKey, createKeys)],
    [also(ofV1("create_key")), hiddenBy(noApiForKey, onApi("encrypt_key", "/keys/*#write"))],
    [also(createKeys)],
    [also(createKeys)],
  ],
  // The outcome is NOT_FOUND: verify-key.test.ts.
  "/v2/keys.verifyKey": [[also(onKey("verify_key", "verify"))]],
  "/v2/keys.getKey": [
    [needs(onKey("read_key", "read"))],
    [needs(onKey("read_key", "read")), needs(onKey("decrypt_key", "decrypt"))],
  ],
  "/v2/keys.whoami": [
    [
      {
        needs: onKey("read_key", "read"),
        refusal: (missing) => {
          const { detail } = noKey();
          return noKey(`${detail} Missing one of these permissions: ${missing}`);
        },
      },
    ],
  ],
  "/v2/keys.updateKey": [[change()], [change()]],
  "/v2/keys.updateCredits": [[change()]],
  "/v2/keys.rerollKey": [
    [needs(`${write} or ${create}`), also(`${write} or ${ofV1("encrypt_key")}`)],
  ],
  "/v2/keys.deleteKey": [[needs(onKey("delete_key", "delete"))]],
  "/v2/keys.addPermissions": [
    [change("add_permission_to_key")],
    [change("add_permission_to_key"), createPermission],
  ],
  "/v2/keys.removePermissions": [[change("remove_permission_from_key")]],
  "/v2/keys.setPermissions": [[change("add_permission_to_key", "remove_permission_from_key")]],
  "/v2/keys.addRoles": [[change("add_role_to_key")]],
  "/v2/keys.removeRoles": [[change()]],
  "/v2/keys.setRoles": [[change()]],
  "/v2/keys.migrateKeys": [[needs(`${urn("keyspaces/*/keys/*#write")} or ${create}`)]],
  "/v2/identities.createIdentity": [[needs(onIdentity("create_identity", "write"))]],
  "/v2/identities.getIdentity": [
    [needs(`${onIdentity("read_identity", "read", "id_one")} or identity.id_one.read_identity`)],
  ],
  "/v2/identities.listIdentities": [
    [
      needs(
        `${urn("identities/id_one#read")} or identity.id_one.read_identity or identity.*.read_identity`,
      ),
    ],
  ],
  "/v2/identities.updateIdentity": [[needs(onIdentity("update_identity", "write"))]],
  "/v2/identities.deleteIdentity": [[needs(onIdentity("delete_identity", "delete"))]],
  "/v2/permissions.createPermission": [[createPermission]],
  "/v2/permissions.getPermission": [
    [hiddenBy(noPermission, onRbac("read_permission", "permissions/*#read"))],
  ],
  "/v2/permissions.listPermissions": [[needs(onRbac("read_permission", "permissions/*#read"))]],
  "/v2/permissions.updatePermission": [[hiddenBy(noPermission, urn("rbac/permissions/*#write"))]],
  "/v2/permissions.deletePermission": [
    [hiddenBy(noPermission, onRbac("delete_permission", "permissions/*#delete"))],
  ],
  "/v2/permissions.createRole": [
    [needs(onRbac("create_role", "roles/*#write"))],
    [
      needs(onRbac("create_role", "roles/*#write")),
      needs(onRbac("add_permission_to_role", "roles/*#write")),
      createPermission,
    ],
  ],
  "/v2/permissions.getRole": [[needs(onRbac("read_role", "roles/role_reader#read"))]],
  "/v2/permissions.listRoles": [[needs(onRbac("read_role", "roles/*#read"))]],
  "/v2/permissions.updateRole": [[hiddenBy(noRole, urn("rbac/roles/*#write"))]],
  "/v2/permissions.setRolePermissions": [[needs(setRole)], [also(setRole), createPermission]],
  "/v2/permissions.deleteRole": [[hiddenBy(noRole, onRbac("delete_role", "roles/*#delete"))]],
  "/v2/ratelimit.limit": [
    [needs(onSms("limit", "#limit"))],
    [needs(createNamespace), also(limitAny)],
  ],
  "/v2/ratelimit.multiLimit": [
    [also("ratelimit.rlns_sms.limit and ratelimit.rlns_mail.limit")],
    [needs(createNamespace), also(limitAny)],
  ],
  "/v2/ratelimit.setOverride": [[needs(onSms("set_override", "/overrides/*#write"))]],
  "/v2/ratelimit.getOverride": [
    [{ needs: onSms("read_override", "/overrides/rlor_vip#read"), refusal: () => noOverride }],
  ],
  "/v2/ratelimit.listOverrides": [[needs(onSms("read_override", "/overrides/*#read"))]],
  "/v2/ratelimit.deleteOverride": [[needs(onSms("delete_override", "/overrides/rlor_vip#delete"))]],
  "/v1/apis.listKeys": [[lacks(listedV1)], [lacks(listedV1), lacksOdd(ofV1("decrypt_key"))]],
  "/v1/keys.createKey": [
    [lacks(ofV1("create_key"))],
    [lacks(ofV1("create_key")), lacks(ofV1("encrypt_key"))],
    [
      lacks(ofV1("create_key")),
      lacks("rbac.*.create_permission", ' (because the permission "docs.new" does not exist yet)'),
    ],
  ],
  "/v1/keys.getKey": [
    [lacks(ofV1("read_key"))],
    [lacks(ofV1("read_key")), lacksOdd(ofV1("decrypt_key"))],
  ],
  "/v1/keys.updateKey": [[lacks(ofV1("update_key"))]],
  "/v1/keys.updateRemaining": [[lacks(ofV1("update_key"))]],
  "/v1/keys.deleteKey": [[lacks(ofV1("delete_key"))]],
  "/v1/ratelimits.limit": [
    [lacks(smsOfV1)],
    [
      {
        needs: "ratelimit.*.create_namespace",
        refusal: () => ({ status: 404, code: "NOT_FOUND", message: "namespace new not found" }),
      },
      also(limitAny),
    ],
  ],
};

const groupsOf = (steps: readonly Step[]) => steps.flatMap((step) => step.needs.split(" and "));

const isUrn = (permission: string) => permission.startsWith("unkey:");

/** Permissions that look like this one and are not. */
function near(permission: string): string[] {
  if (isUrn(permission)) return nearUrns(permission);
  const [group = "", id = "", action = ""] = permission.split(".");
  const other = id === "*" ? `${group}.${group}_none.${action}` : `${group}.none.${action}`;
  const longer = [`${permission}s`, permission.toUpperCase(), `unkey:v1:ws_local:*#${action}`];
  const wild = ["*", "*.*", "**"].map((rest) => `${group}.${rest}`);
  return [other, action, `*.${action}`, `*.*.${action}`, "**", "*.*.*", ...longer, ...wild];
}

/** Other workspaces, records and actions, more and fewer segments, and what is no pattern. */
function nearUrns(name: string): string[] {
  const [, resource = "", action = ""] = /([^:]+)#(.+)$/.exec(name) ?? [];
  const open = resource.replaceAll(/(?<=\/)[^/]+_[^/]+/g, "*");
  return [
    `unkey:v1:ws_other:**#*`,
    `unkey:v1:ws_local:${open}#*`,
    `unkey:v1:ws_local:${open}#${action}s`,
    `unkey:v1:ws_local:${open}#manage`,
    `unkey:v1:ws_local:${open}/more#${action}`,
    `unkey:v1:ws_local:${open.replace(/\/[^/]+$/, "")}#${action}`,
    `unkey:v1:ws_local:${resource.replace(/[^/]+$/, "none")}#${action}`,
    `unkey:v1:ws_local:projects/**/keys/*#${action}`,
    `unkey:v1:ws_local:projects/*/apps/**#${action}`,
    `unkey:v2:ws_local:**#${action}`,
    name.toUpperCase(),
  ];
}

/** Other URNs that grant as much as this one. */
function like(name: string): string[] {
  const [, resource = "", action = ""] = /([^:]+)#(.+)$/.exec(name) ?? [];
  const path = resource.replace("projects/*/", "");
  const open = resource.replace(/[^/]+$/, "*").replace("projects/*", "projects/proj_1");
  return [path, open, `${path.split("/")[0]}/**`, "projects/**", "**"]
    .map((each) => `unkey:v1:ws_local:${each}#${action}`)
    .concat("unkey:v1:ws_local:**#*");
}

const given = (permissions: readonly string[]) =>
  givenEmulator({
    fixtures: [{ ...everything, tokens: [{ token: "limited", permissions: [...permissions] }] }],
  });

const rows = calls.map(([path, input], index) => {
  const called = path.replace(/\?.*/, "");
  const nth = calls.slice(0, index).filter(([each]) => each.replace(/\?.*/, "") === called).length;
  return [path, input, table[called]?.[nth] ?? []] as const;
});

function call(emulator: Emulator, [path, input]: (typeof rows)[number], options: CallOptions) {
  if (!path.includes("?")) return post(emulator, path, input, acceptingAll(options));
  const headers = { Authorization: `Bearer ${options.token}` };
  return send(emulator, new Request(`http://emulator.test${path}`, { headers }));
}

test("the table of permissions has a row for each call", () => {
  expect(rows.filter(([, , steps]) => steps.length === 0)).toEqual([]);
});

test.each(rows)("%s with %j needs its permissions, each in any form", async (...row) => {
  const [, , steps] = row;
  const act = (emulator: Emulator) => call(emulator, row, { token: "limited" });
  const alternatives = groupsOf(steps).map((group) => group.split(" or "));
  const all = alternatives.map((each) => each.at(-1) ?? "");
  const urns = alternatives.map(([first = ""]) => first);
  const asUrns = urns.some(isUrn)
    ? like("").map((_, index) =>
        urns.map((each) => (isUrn(each) ? like(each)[index] : undefined) ?? each),
      )
    : [];

  for (const permissions of [all, urns, ["x", "*"], ...asUrns]) {
    expect((await act(await given(permissions))).status, permissions.join()).toBe(200);
  }
  for (const { hint, needs: demanded, refusal } of steps) {
    if (refusal === undefined) continue;
    for (const group of demanded.split(" and ")) {
      const lost = group.split(" or ");
      const kept = all.filter((permission) => !lost.includes(permission));
      const emulator = await given([...kept, ...lost.flatMap(near)]);
      const { headers } = await expectNothingLeft(emulator, refusal(group), () => act(emulator));
      if (hint !== undefined) expect(headers.get("x-latchkey-hint")).toContain(hint + group);
    }
  }
});

test.each(rows.filter(([path]) => path.startsWith("/v2/")))(
  "%s with %j needs a token",
  async (...row) => {
    const emulator = await given([]);

    await expectNothingLeft(emulator, missingHeader, () => call(emulator, row, { token: null }));
  },
);

/** URNs that name one record, and those of the summer of 2026: without a project, with other actions. */
const oneUrn: readonly (readonly [
  resource: string,
  name: string,
  input: object,
  status: number,
])[] = [
  ["projects/p/keyspaces/ks_first/keys/key_one#read", "keys.getKey", { keyId: "key_one" }, 200],
  ["projects/p/keyspaces/ks_first/keys/key_one#read", "keys.getKey", { keyId: "key_two" }, 403],
  ["projects/p/keyspaces/ks_first/**#read", "keys.getKey", { keyId: "key_one" }, 200],
  ["projects/p/keyspaces/ks_second/**#read", "keys.getKey", { keyId: "key_one" }, 403],
  ["keyspaces/ks_first/keys/*#read_key", "keys.getKey", { keyId: "key_one" }, 200],
  ["keyspaces/ks_first/keys/*#update_key", "keys.getKey", { keyId: "key_one" }, 403],
  ["keyspaces/ks_first/keys/*#update_key", "keys.updateKey", { keyId: "key_one" }, 200],
  ["keyspaces/ks_first/keys/*#write_key", "keys.updateKey", { keyId: "key_one" }, 200],
  ["keyspaces/ks_first/keys/*#create_key", "keys.updateKey", { keyId: "key_one" }, 403],
  ["keyspaces/ks_first#create_key", "keys.createKey", { apiId: "api_first" }, 200],
  ["keyspaces/ks_first#create_key", "keys.createKey", { apiId: "api_second" }, 404],
  ["keyspaces/ks_first/keys/*#write", "keys.createKey", { apiId: "api_first" }, 200],
  ["keyspaces/ks_first/keys/key_one#write", "keys.createKey", { apiId: "api_first" }, 404],
  ["keyspaces/ks_first#read_keyspace", "apis.getApi", { apiId: "api_first" }, 200],
  ["rbac/roles/role_reader#read", "permissions.getRole", { role: "reader" }, 200],
  ["rbac/roles/role_reader#read", "permissions.getRole", { role: "writer" }, 403],
  ["rbac/roles/role_reader#write", "permissions.updateRole", { role: "reader" }, 200],
  ["rbac/roles/role_reader#write", "permissions.updateRole", { role: "writer" }, 404],
  ["rbac/permissions/*#write", "permissions.updateRole", { role: "reader" }, 404],
  ["identities/id_one#read", "identities.getIdentity", { identity: "user_1" }, 200],
  [
    "ratelimits/namespaces/rlns_sms#limit_ratelimit_namespace",
    "ratelimit.limit",
    { namespace: "sms", identifier: "i", limit: 1, duration: 1_000 },
    200,
  ],
  [
    "ratelimits/namespaces/rlns_sms/overrides/rlor_vip#read_override",
    "ratelimit.getOverride",
    { namespace: "sms", identifier: "vip" },
    200,
  ],
];

test.each(oneUrn)("a token with %s alone calls %s with %j: %i", async (...row) => {
  const [resource, name, input, status] = row;
  const emulator = await given([`unkey:v1:ws_local:${resource}`]);

  const answer = await post(emulator, `/v2/${name}`, input, { token: "limited" });

  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
});

test("a refusal says which permission of its token latchkey does not understand", async () => {
  const hintOf = async (permission: string, name: string, input: object) => {
    const emulator = await given([permission]);
    const { headers } = await post(emulator, `/v2/${name}`, input, { token: "limited" });
    return headers.get("x-latchkey-hint");
  };
  const foreign = "unkey:v1:ws_other:**#*";
  const why = 'is for the workspace "ws_other", and the token belongs to ws_local';

  expect(await hintOf(foreign, "keys.getKey", { keyId: "key_one" })).toBe(
    `its permission "${foreign}" ${why}`,
  );
  expect(await hintOf(foreign, "keys.createKey", { apiId: "api_first" })).toMatch(
    new RegExp(`^the token needs unkey:.*; its permission "unkey:v1:ws_other.*${why}$`),
  );
  const key = "value_of_one_0123456789";
  expect(await hintOf("api.*.verify_keys", "keys.verifyKey", { key })).toMatch(
    /; its permission "api\.\*\.verify_keys" is no permission of the service, and grants nothing; did you mean "api\.\*\.verify_key"\?$/,
  );
  expect(await hintOf("docs.read", "keys.getKey", { keyId: "key_one" })).toBeNull();
});

import { expect, test } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { calls, everything } from "../_every-operation.ts";
import { givenEmulator, post, send, type CallOptions } from "../_emulator.ts";
import { acceptingAll, type Refusal } from "../_v2.ts";
import type { RefusalOfV1 } from "./_keys.ts";
import { expectNothingLeft, expectTokenNeeded, insufficient, lacking, noKey } from "./_refusals.ts";

// Which permissions each call of every operation needs, and how it is refused without them.

/** Permissions that one check demands: all groups, and of each group one. */
interface Step {
  /** Groups are joined by " and ", and what is in a group by " or ". */
  readonly needs: string;
  /** The refusal of a token that lacks one group. Undefined: tested beside the operation. */
  readonly refusal?: (missing: string) => Refusal | RefusalOfV1;
  /** What the hint says of the missing group, where the refusal hides it. */
  readonly hint?: string;
}

const needs = (text: string): Step => ({ needs: text, refusal: () => insufficient(text) });
/** Named like several permissions, although it is one. */
const ofOne = (name: string): Step => ({
  needs: name,
  refusal: () => ({
    ...insufficient(name),
    detail: `Missing one of these permissions: ${name}`,
  }),
});
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

const notFound = (kind: "api" | "ratelimit_override", detail: string): Refusal => ({
  status: 404,
  type: `unkey/data/${kind}_not_found`,
  detail,
});
const noApi = notFound("api", "The requested API does not exist or has been deleted.");
const noApiForKey = notFound("api", "The specified API was not found.");
const noOverride = notFound("ratelimit_override", "This override does not exist.");

const on = (action: string, apiId = "api_first") => `api.*.${action} or api.${apiId}.${action}`;
const create = "api.api_first.create_key or api.*.create_key";
const onSms = (action: string) => `ratelimit.rlns_sms.${action} or ratelimit.*.${action}`;
const list = `${on("read_key")} and ${on("read_api")}`;
const change = (...actions: string[]) =>
  needs([on("update_key"), ...actions.map((action) => `rbac.*.${action}`)].join(" and "));
const createPermission = needs("rbac.*.create_permission");

/** The checks of each call, in the order of `calls`. */
const table: Readonly<Record<string, readonly (readonly Step[])[]>> = {
  "/v2/apis.createApi": [[needs("api.*.create_api")]],
  "/v2/apis.getApi": [[needs(on("read_api"))]],
  "/v2/apis.listKeys": [[hiddenBy(noApi, list)], [also(list), needs(on("decrypt_key"))]],
  "/v2/apis.deleteApi": [[needs(on("delete_api", "api_second"))]],
  "/v2/keys.createKey": [
    [hiddenBy(noApiForKey, on("create_key"))],
    [also(on("create_key")), hiddenBy(noApiForKey, on("encrypt_key"))],
    [also(on("create_key"))],
    [also(on("create_key"))],
  ],
  // The outcome is NOT_FOUND: verify-key.test.ts.
  "/v2/keys.verifyKey": [[also(on("verify_key"))]],
  "/v2/keys.getKey": [[needs(on("read_key"))], [needs(on("read_key")), needs(on("decrypt_key"))]],
  "/v2/keys.whoami": [
    [
      {
        needs: on("read_key"),
        refusal: (missing) => {
          const { detail } = noKey();
          return noKey(`${detail} Missing one of these permissions: ${missing}`);
        },
      },
    ],
  ],
  "/v2/keys.updateKey": [[change()], [change()]],
  "/v2/keys.updateCredits": [[change()]],
  "/v2/keys.rerollKey": [[needs(create), needs(on("encrypt_key"))]],
  "/v2/keys.deleteKey": [[needs(on("delete_key"))]],
  "/v2/keys.addPermissions": [
    [change("add_permission_to_key")],
    [change("add_permission_to_key"), createPermission],
  ],
  "/v2/keys.removePermissions": [[change("remove_permission_from_key")]],
  "/v2/keys.setPermissions": [[change("add_permission_to_key", "remove_permission_from_key")]],
  "/v2/keys.addRoles": [[change("add_role_to_key")]],
  "/v2/keys.removeRoles": [[change()]],
  "/v2/keys.setRoles": [[change()]],
  "/v2/keys.migrateKeys": [[needs(create)]],
  "/v2/identities.createIdentity": [[needs("identity.*.create_identity")]],
  "/v2/identities.getIdentity": [
    [needs("identity.*.read_identity or identity.id_one.read_identity")],
  ],
  "/v2/identities.listIdentities": [
    [needs("identity.id_one.read_identity or identity.*.read_identity")],
  ],
  "/v2/identities.updateIdentity": [[needs("identity.*.update_identity")]],
  "/v2/identities.deleteIdentity": [[needs("identity.*.delete_identity")]],
  "/v2/permissions.createPermission": [[createPermission]],
  "/v2/permissions.getPermission": [[ofOne("rbac.*.read_permission")]],
  "/v2/permissions.listPermissions": [[ofOne("rbac.*.read_permission")]],
  "/v2/permissions.deletePermission": [[ofOne("rbac.*.delete_permission")]],
  "/v2/permissions.createRole": [
    [ofOne("rbac.*.create_role")],
    [ofOne("rbac.*.create_role"), needs("rbac.*.add_permission_to_role"), createPermission],
  ],
  "/v2/permissions.getRole": [[ofOne("rbac.*.read_role")]],
  "/v2/permissions.listRoles": [[ofOne("rbac.*.read_role")]],
  "/v2/permissions.deleteRole": [[ofOne("rbac.*.delete_role")]],
  "/v2/ratelimit.limit": [
    [needs(onSms("limit"))],
    [needs("ratelimit.*.create_namespace"), also("ratelimit.*.limit")],
  ],
  "/v2/ratelimit.multiLimit": [
    [also("ratelimit.rlns_sms.limit and ratelimit.rlns_mail.limit")],
    [needs("ratelimit.*.create_namespace"), also("ratelimit.*.limit")],
  ],
  "/v2/ratelimit.setOverride": [[needs(onSms("set_override"))]],
  "/v2/ratelimit.getOverride": [[{ needs: onSms("read_override"), refusal: () => noOverride }]],
  "/v2/ratelimit.listOverrides": [[needs(onSms("read_override"))]],
  "/v2/ratelimit.deleteOverride": [[needs(onSms("delete_override"))]],
  "/v1/apis.listKeys": [[lacks(list)], [lacks(list), lacksOdd(on("decrypt_key"))]],
  "/v1/keys.createKey": [
    [lacks(on("create_key"))],
    [lacks(on("create_key")), lacks(on("encrypt_key"))],
    [
      lacks(on("create_key")),
      lacks("rbac.*.create_permission", ' (because the permission "docs.new" does not exist yet)'),
    ],
  ],
  "/v1/keys.getKey": [
    [lacks(on("read_key"))],
    [lacks(on("read_key")), lacksOdd(on("decrypt_key"))],
  ],
  "/v1/keys.updateKey": [[lacks(on("update_key"))]],
  "/v1/keys.updateRemaining": [[lacks(on("update_key"))]],
  "/v1/keys.deleteKey": [[lacks(on("delete_key"))]],
  "/v1/ratelimits.limit": [
    [lacks(onSms("limit"))],
    [
      {
        needs: "ratelimit.*.create_namespace",
        refusal: () => ({ status: 404, code: "NOT_FOUND", message: "namespace new not found" }),
      },
      also("ratelimit.*.limit"),
    ],
  ],
};

const groupsOf = (steps: readonly Step[]) => steps.flatMap((step) => step.needs.split(" and "));

/** Permissions that look like this one and are not. */
function near(permission: string): string[] {
  const [group = "", id = "", action = ""] = permission.split(".");
  const other = id === "*" ? `${group}.${group}_none.${action}` : `${group}.none.${action}`;
  const longer = [`${permission}s`, permission.toUpperCase(), `unkey:v1:ws_test:**#${action}`];
  const wild = ["*", "*.*", "**"].map((rest) => `${group}.${rest}`);
  return [other, action, `*.${action}`, `*.*.${action}`, "**", "*.*.*", ...longer, ...wild];
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

test.each(rows)("%s with %j needs its permissions, each in any form", async (...row) => {
  const [, , steps] = row;
  const act = (emulator: Emulator) => call(emulator, row, { token: "limited" });
  const alternatives = groupsOf(steps).map((group) => group.split(" or "));
  const all = alternatives.map(([first = ""]) => first);

  for (const permissions of [all, alternatives.map((each) => each.at(-1) ?? ""), ["x", "*"]]) {
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
  "%s with %j needs a token that is known",
  async (...row) => {
    const emulator = await given([]);

    await expectTokenNeeded(emulator, (options) => call(emulator, row, options));
  },
);

import { expect, test } from "vitest";
import { givenEmulator, post, type CallOptions } from "../_emulator.ts";
import { acceptingAll } from "../_v2.ts";
import { refusals, worlds } from "./_texts-v2.ts";

// Clients show and compare the texts of v2, so each is sent letter for letter. What latchkey knows
// besides, like what exists, is in the hint.

const titles: Readonly<Record<string, string>> = {
  "unkey/application/invalid_input": "Bad Request",
  "unkey/application/precondition_failed": "Precondition Failed",
  "unkey/application/protected_resource": "Resource is protected",
  "unkey/authentication/key_not_found": "Unauthorized",
  "unkey/authentication/malformed": "Bad Request",
  "unkey/authorization/forbidden": "Forbidden",
  "unkey/authorization/insufficient_permissions": "Insufficient Permissions",
  "unkey/authorization/key_disabled": "Key is disabled",
  "unkey/authorization/workspace_disabled": "Workspace is disabled",
  "unkey/data/api_not_found": "Not Found",
  "unkey/data/identity_already_exists": "Conflicting Resource",
  "unkey/data/identity_not_found": "Not Found",
  "unkey/data/key_not_found": "Not Found",
  "unkey/data/permission_not_found": "Not Found",
  "unkey/data/role_not_found": "Not Found",
  "user/bad_request/permissions_query_syntax_error": "Bad Request",
};

test.each(refusals)("$call is refused in the words of the service: row %#", async (row) => {
  const { authorization, call, detail, hint = null, input, isSchema, status, type } = row;
  const emulator = await givenEmulator({ fixtures: worlds });
  const headers = authorization === null ? {} : { Authorization: authorization };
  const options: CallOptions = { token: null, headers: { ...headers, ...row.headers } };

  const answer = await post(emulator, `/v2/${call}`, input, acceptingAll(options));

  const errors = isSchema ? expect.arrayContaining([expect.any(Object)]) : [];
  expect(answer.body.error).toEqual({
    detail,
    ...(status === 400 ? { errors } : {}),
    status,
    title: titles[type],
    type: `https://unkey.com/docs/errors/${type}`,
  });
  expect(answer.status).toBe(status);
  if (!isSchema) expect(answer.headers.get("x-latchkey-hint")).toBe(hint);
});

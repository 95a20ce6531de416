import { expect, test } from "vitest";
import { givenEmulator, post } from "../_emulator.ts";
import { acceptingAll } from "../_v2.ts";
import { refusals, worlds } from "./_texts-v2.ts";

// Clients show and compare the texts of v2, so each is sent letter for letter. Whatever latchkey can add,
// like existing records, is in the hint.

const titles: Readonly<Record<string, string>> = {
  "unkey/application/invalid_input": "Bad Request",
  "unkey/application/precondition_failed": "Precondition Failed",
  "unkey/application/protected_resource": "Resource is protected",
  "unkey/application/unexpected_error": "Internal Server Error",
  "unkey/data/api_not_found": "Not Found",
  "unkey/data/identity_already_exists": "Conflicting Resource",
  "unkey/data/identity_not_found": "Not Found",
  "unkey/data/key_not_found": "Not Found",
  "unkey/data/permission_not_found": "Not Found",
  "unkey/data/role_not_found": "Not Found",
  "user/bad_request/permissions_query_syntax_error": "Bad Request",
};

test.each(refusals)("$call is refused in the words of the service: row %#", async (row) => {
  const { call, detail, hint = null, input, status, token, type } = row;
  const emulator = await givenEmulator({ fixtures: worlds });

  const answer = await post(emulator, `/v2/${call}`, input, acceptingAll({ token }));

  expect(answer.body.error).toEqual({
    detail,
    ...(status === 400 ? { errors: [] } : {}),
    status,
    title: titles[type],
    type: `https://unkey.com/docs/errors/${type}`,
  });
  expect(answer.status).toBe(status);
  expect(answer.headers.get("x-latchkey-hint"), JSON.stringify(input).slice(0, 200)).toBe(hint);
});
